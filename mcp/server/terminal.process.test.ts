import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import type { McpSession } from "../client/session.ts";
import { textOf } from "../testing/clients.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";
import { openToolSession } from "../testing/tool-session.ts";

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
    "GET /v1/sessions": () => ({
      json: { sessions: [SESSION, { ...SESSION, session_id: "term_ofanother", agent: "another" }] },
    }),
    "POST /v1/sessions/term_abcdefgh/stop": () => ({
      json: { session_id: "term_abcdefgh", outcome: "after_term", alive: 0 },
    }),
    "POST /v1/sessions/term_abcdefgh/input": () => ({ json: { session_id: "term_abcdefgh", taken: true } }),
    "POST /v1/sessions/term_abcdefgh/resize": () => ({
      json: { session_id: "term_abcdefgh", size: { cols: 100, rows: 30 } },
    }),
    "GET /v1/sessions/*": () => ({ status: 404, json: { error: "no such session", code: "not_found" } }),
  });
  session = await openToolSession(server, engine, ["--allow-writes", "--terminal-bridge-url", bridge.url], {
    IRONFLOW_TERMINAL_BRIDGE_TOKEN: TOKEN,
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

it("hands shell, environment, size, format and waits on", async () => {
  await session.callTool("ironflow_terminal_run", {
    command: "ls",
    shell: "zsh",
    env: { A: "b" },
    cols: 120,
  });
  expect(bridge.requests.at(-1)?.body).toEqual({
    command: "ls",
    agent: "agent",
    shell: "zsh",
    env: { A: "b" },
    size: { cols: 120, rows: 24 },
  });
  await session.callTool("ironflow_terminal_read", {
    session_id: "term_abcdefgh",
    format: "text",
    wait_for: "text",
    wait_text: "done ✓",
    wait_seconds: 1.5,
  });
  const query = bridge.requests.at(-1)?.query;
  expect(Object.fromEntries(query ?? [])).toMatchObject({
    format: "text",
    wait_for: "text",
    text: "done ✓",
    wait_ms: "1500",
  });
  const halfAsked = { session_id: "term_abcdefgh", wait_for: "text" };
  const refused = await session.callTool("ironflow_terminal_read", halfAsked);
  expect(textOf(refused)).toMatchObject({ code: "invalid_argument" });
});

it("lists, stops, types into and resizes an agent's own tabs, and nobody else's", async () => {
  const meta = { "ironbridge/caller": "claude" };
  const id = { session_id: "term_abcdefgh" };
  const call = (name: string, args: Record<string, unknown>) => session.callTool(name, args, { meta });
  const listed = await call("ironbridge_terminal_list", {});
  expect(listed.structuredContent).toMatchObject({ sessions: [{ session_id: "term_abcdefgh" }] });
  expect(JSON.stringify(listed)).not.toContain("term_ofanother");
  expect((await call("ironbridge_terminal_stop", id)).structuredContent).toMatchObject({
    outcome: "after_term",
  });
  const typed = await call("ironbridge_terminal_input", { ...id, text: "y\r" });
  expect(typed.structuredContent).toEqual({ session_id: "term_abcdefgh", taken: true });
  expect(bridge.requests.at(-1)?.body).toEqual({ text: "y\r" });
  const resized = await call("ironbridge_terminal_resize", { ...id, cols: 100, rows: 30 });
  expect(resized.structuredContent).toEqual({ session_id: "term_abcdefgh", cols: 100, rows: 30 });

  const before = bridge.requests.length;
  const others = { session_id: "term_ofanother" };
  for (const [name, args] of [
    ["ironbridge_terminal_stop", others],
    ["ironbridge_terminal_input", { ...others, text: "rm" }],
    ["ironbridge_terminal_resize", { ...others, cols: 10, rows: 10 }],
  ] as const)
    expect(textOf(await call(name, args))).toMatchObject({ code: "not_found" });
  expect(bridge.requests.slice(before).map(({ method }) => method)).toEqual(["GET", "GET", "GET"]);
});

it("says when a tab is gone, or a bridge", async () => {
  const gone = await session.callTool("ironflow_terminal_read", { session_id: "term_12345678" });
  expect(textOf(gone)).toMatchObject({ code: "not_found", error: "no such session" });
  await bridge.close();
  const lost = await session.callTool("ironflow_terminal_run", { command: "ls" });
  expect(textOf(lost)).toMatchObject({ code: "unavailable" });
  expect(JSON.stringify(lost)).not.toContain(TOKEN);
});

it("says of a read that was under way when the bridge was killed that it may be sent again, not that it never was", async () => {
  let killed: Promise<void> | undefined;
  const doomed = await stubEngine({
    "GET /v1/sessions/term_abcdefgh/output": () => () => {
      killed = doomed.close();
    },
  });
  const flags = ["--allow-writes", "--terminal-bridge-url", doomed.url];
  const own = await openToolSession(server, engine, flags, { IRONFLOW_TERMINAL_BRIDGE_TOKEN: TOKEN });
  try {
    const waiting = { session_id: "term_abcdefgh", wait_for: "exit", wait_seconds: 30 };
    const error = textOf(await own.callTool("ironflow_terminal_read", waiting));
    await killed;
    expect(doomed.requests).toHaveLength(1);
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    expect(error).not.toHaveProperty("reason");
  } finally {
    await own.close();
  }
});
