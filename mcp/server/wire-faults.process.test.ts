import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { answerOnTheWire, WIRE_FAULTS } from "../../loopback/testing/wire-faults.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { httpServer, type HttpServer } from "../testing/http-server.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";

const TOKEN = "test-token-of-the-http-server";
let folder: string;
let file: Bundle;
let engine: StubEngine;
let server: HttpServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ironbridge-http-"));
  file = await bundleEntry(new URL("./main.ts", import.meta.url));
  engine = await stubEngine(newerEra());
  server = await httpServer(file.file, engine.url, TOKEN, folder);
});
afterAll(async () => {
  await server.stop();
  await engine.close();
  await file.remove();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it.each(WIRE_FAULTS)(
  "$title: the tool server answers as JSON-RPC errors are",
  async ({ status, text, ...fault }) => {
    const target = { url: new URL(server.url).origin, path: "/mcp", token: TOKEN };
    const body = { jsonrpc: "2.0", error: { code: -32_000, message: text }, id: null };
    expect(await answerOnTheWire(target, fault)).toStrictEqual({ status, body });
  },
);
