import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { httpServer, type HttpServer } from "../testing/http-server.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";
import { textOf, type Answer } from "../testing/clients.ts";

const TOKEN = "test-token-of-the-http-server";
const INFO = { name: "test", version: "1" };
let file: Bundle;
let engine: StubEngine;
let server: HttpServer;
let folder: string;

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

const bearer = { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } };
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

/** The status for a request with exactly these headers. */
function status(headers: Record<string, string>, path = "/mcp", method = "POST"): Promise<number> {
  const { port } = new URL(server.url);
  return new Promise((done, fail) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, setHost: false }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    });
    sent.once("error", fail);
    sent.end(method === "POST" ? LIST : undefined);
  });
}

describe("the tool server over HTTP", () => {
  it("serves the handshake era", async () => {
    const client = new ClientV1(INFO);
    await client.connect(new HttpV1(new URL(server.url), bearer));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("ironflow_list_runs");
    const answer = await client.callTool({ name: "ironflow_server_info", arguments: {} });
    expect(textOf(answer as Answer)).toMatchObject({ url: engine.url });
    await client.close();
  });

  it("serves the revision 2026-07-28", async () => {
    const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new HttpV2(new URL(server.url), bearer));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("ironflow_list_runs");
    const answer = await client.callTool({ name: "ironflow_server_info", arguments: {} });
    expect(textOf(answer)).toMatchObject({ url: engine.url });
    await client.close();
  });

  it.each([
    ["without a token", {}, 401],
    ["with another token", { authorization: "Bearer other" }, 401],
    ["for another host", { host: "evil.example", authorization: `Bearer ${TOKEN}` }, 403],
    ["of a web page", { origin: "http://evil.example", authorization: `Bearer ${TOKEN}` }, 403],
  ])("refuses a request %s", async (_, headers, wanted) => {
    const { host } = new URL(server.url);
    expect(await status({ host, "content-type": "application/json", ...headers })).toBe(wanted);
  });

  it.each([
    ["by the name localhost", (port: string) => ({ host: `localhost:${port}` }), 200],
    ["by that name on another port", () => ({ host: "localhost:1" }), 403],
    [
      "from a page of its own origin",
      (port: string) => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` }),
      200,
    ],
    [
      "from a page on another port",
      (port: string) => ({ host: `localhost:${port}`, origin: "http://localhost:1" }),
      403,
    ],
  ])("is called %s", async (_, headers, wanted) => {
    const { port } = new URL(server.url);
    const answered = await status({
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers(port),
    });
    // 400: past the guard, and a request without a session.
    expect(answered).toBe(wanted === 200 ? 400 : wanted);
  });

  it("has one path, and takes JSON only", async () => {
    const { host } = new URL(server.url);
    const good = { host, authorization: `Bearer ${TOKEN}` };
    expect(await status({ ...good, "content-type": "application/json" }, "/other")).toBe(404);
    expect(await status({ ...good, "content-type": "text/plain" })).toBe(415);
    expect(await status(good, "/mcp", "PUT")).toBe(405);
  });

  it("keeps no more than 64 sessions: the oldest idle one makes way", async () => {
    const { host } = new URL(server.url);
    const open = async () => {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
      const answer = await fetch(server.url, {
        method: "POST",
        headers: {
          host,
          authorization: `Bearer ${TOKEN}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      });
      await answer.text();
      return answer.headers.get("mcp-session-id") ?? "";
    };
    const first = await open();
    let last = first;
    for (let count = 0; count < 64; count += 1) last = await open();
    const probe = (session: string) =>
      status({
        host,
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": session,
      });
    expect(await probe(first)).toBe(404);
    expect(await probe(last)).toBe(200);
  });

  it("says in one line that it cannot write its port, and ends with 4", async () => {
    const args = ["--transport", "streamable-http", "--port=0", `--port-file=${join(folder, "no", "such")}`];
    const child = spawn(process.execPath, [file.file, ...args], {
      env: { IRONFLOW_MCP_BEARER_TOKEN: TOKEN },
    });
    const errors: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(4);
    expect(Buffer.concat(errors).toString()).toMatch(/^ironbridge-mcp: --port-file cannot be written: .*\n$/);
  });

  it("writes its port for its owner only, and takes the file away when it is ended", async () => {
    const own = await mkdtemp(join(folder, "own-"));
    const other = await httpServer(file.file, engine.url, TOKEN, own);
    const [name = ""] = readdirSync(own);
    expect(await readFile(join(own, name), "utf8")).toBe(`${new URL(other.url).port}\n`);
    await other.stop();
    expect(other.child.exitCode).toBe(0);
    expect(existsSync(join(own, name))).toBe(false);
  });
});
