import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ownProcessEnv } from "../../loopback/environment.ts";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { McpSession } from "../client/session.ts";
import { textOf } from "../testing/clients.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";

const TOKEN = "ibk_terminal_token";
let server: Bundle;
let engine: StubEngine;
let bridge: StubEngine;
let session: McpSession;

const SESSION = {
  session_id: "term_abcdefgh",
  agent: "claude",
  command: "npm test",
  shell: "/bin/bash",
  cwd: "/home/me",
  status: "running",
  exit_code: null,
  signal: null,
  reason: null,
  started_at: "2026-11-30T09:00:00Z",
  ended_at: null,
  output_bytes: 0,
  left_behind: 0,
  size: { cols: 80, rows: 24 },
};

beforeAll(async () => {
  server = await bundleEntry(new URL("./main.ts", import.meta.url));
  engine = await stubEngine(newerEra());
  bridge = await stubEngine({
    "POST /v1/sessions": ({ headers }) =>
      headers.authorization === `Bearer ${TOKEN}`
        ? { status: 201, json: SESSION }
        : { status: 401, json: { error: "unauthorized", code: "unauthenticated" } },
    "GET /v1/sessions/term_abcdefgh/output": ({ query }) => ({
      json: {
        session_id: "term_abcdefgh",
        output: "é\u0007[31m",
        offset: Number(query.get("offset")),
        next: Number(query.get("offset")) + 7,
        has_more: false,
        dropped: 0,
        status: "exited",
        exit_code: 3,
        signal: null,
        reason: null,
      },
    }),
    "GET /v1/sessions/*": () => ({ status: 404, json: { error: "no such session", code: "not_found" } }),
  });
  session = await McpSession.connect({
    command: process.execPath,
    args: [server.file, "--allow-writes", "--server-url", engine.url, "--terminal-bridge-url", bridge.url],
    cwd: tmpdir(),
    env: ownProcessEnv({ extra: { IRONFLOW_TERMINAL_BRIDGE_TOKEN: TOKEN } }),
    clientInfo: { name: "test", version: "1" },
  });
});

afterAll(async () => {
  await session.close();
  await bridge.close();
  await engine.close();
  await server.remove();
});

it("runs a command in the name that the app gave the caller", async () => {
  const meta = { "ironbridge/caller": "claude" };
  const named = await session.callTool(
    "ironflow_terminal_run",
    { command: "npm test", cwd: "/home/me" },
    { meta },
  );
  expect(named.structuredContent).toEqual({
    session_id: "term_abcdefgh",
    status: "running",
    shell: "/bin/bash",
    cwd: "/home/me",
  });
  await session.callTool("ironflow_terminal_run", { command: "ls" });
  expect(bridge.requests.map(({ body }) => body)).toEqual([
    { command: "npm test", agent: "claude", cwd: "/home/me" },
    { command: "ls", agent: "agent" },
  ]);
});

it("reads output from an offset, whatever characters are in it", async () => {
  const read = await session.callTool("ironflow_terminal_read", { session_id: "term_abcdefgh", offset: 10 });
  expect(read.structuredContent).toMatchObject({
    output: "é\u0007[31m",
    offset: 10,
    next: 17,
    has_more: false,
    status: "exited",
    exit_code: 3,
  });
  expect(read.structuredContent).toEqual(textOf(read));
  expect(bridge.requests.at(-1)?.query.get("limit")).toBe("65536");
});

it("says when a tab is gone, or a bridge", async () => {
  const gone = await session.callTool("ironflow_terminal_read", { session_id: "term_12345678" });
  expect(textOf(gone)).toMatchObject({ code: "not_found", error: "no such session" });
  await bridge.close();
  const lost = await session.callTool("ironflow_terminal_run", { command: "ls" });
  expect(textOf(lost)).toMatchObject({ code: "unavailable" });
  expect(JSON.stringify(lost)).not.toContain(TOKEN);
});
