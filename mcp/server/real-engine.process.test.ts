import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import type { McpSession } from "../client/session.ts";
import { CONNECTION_URI, EngineConnection, LiveTopic, liveUri } from "../contract/live.ts";
import type { ToolArguments, ToolName } from "../contract/tools.ts";
import { startRealEngine, type RealEngine } from "../testing/real-engine.ts";
import { callTool, openToolSession } from "../testing/tool-session.ts";

/** The tool server as the app starts it, on the embedded engine as its own process. */
let server: Bundle;
let engine: RealEngine;
let session: McpSession;

beforeAll(async () => {
  [server, engine] = await Promise.all([
    bundleEntry(new URL("./main.ts", import.meta.url)),
    startRealEngine(),
  ]);
  await engine.register("greet", "greeting.asked", ({ event }) => ({
    status: "completed",
    steps: [],
    result: { hello: event.data },
  }));
  await engine.register("break", "break.asked", () => ({
    status: "failed",
    steps: [],
    error: { message: "the cup is broken", retryable: false },
  }));
  session = await openToolSession(server, engine, ["--app", "--allow-writes"]);
});

afterAll(async () => {
  await session.close();
  await engine.stop();
  await server.remove();
});

const call = <Name extends ToolName>(name: Name, args: ToolArguments<Name>) => callTool(session, name, args);

const failureOf = async (name: ToolName, args: Record<string, unknown>): Promise<unknown> => {
  const result = await session.callTool(name, args);
  const [block] = result.content as { text: string }[];
  return result.isError === true ? JSON.parse(block?.text ?? "") : undefined;
};

describe("the tools on the embedded engine", () => {
  it("see a whole order of events: emit, wait, read, list, delete", async () => {
    const emitted = await call("ironflow_emit_event", {
      event: "greeting.asked",
      data: { to: "you" },
      idempotency_key: "once",
    });
    const again = await call("ironflow_emit_event", { event: "greeting.asked", idempotency_key: "once" });
    expect(again).toEqual(emitted);
    const [run_id = ""] = emitted.run_ids;

    const run = await call("ironflow_wait_for_run", { run_id });
    expect(run).toMatchObject({ status: "completed", timed_out: false, output: { hello: { to: "you" } } });
    expect(await call("ironflow_get_run_steps", { run_id })).toEqual({ steps: [], count: 0 });
    const listed = await call("ironflow_list_runs", { event_id: emitted.event_id });
    expect(listed).toMatchObject({ count: 1, total_count: 1, runs: [{ id: run_id }] });
    const event = await call("ironbridge_get_event", { event_id: emitted.event_id });
    expect(event).toMatchObject({ name: "greeting.asked", data: { to: "you" } });

    expect(await failureOf("ironflow_delete_run", { run_id })).toMatchObject({
      code: "failed_precondition",
      reason: "confirmation_required",
      error: "not confirmed; nothing was changed",
    });
    expect(await call("ironflow_delete_run", { run_id, confirm: true })).toEqual({ run_id, deleted: true });
    expect(await failureOf("ironflow_get_run", { run_id })).toMatchObject({ code: "not_found" });
  });

  it("carry payloads of every shape and integers above 2^53 unharmed", async () => {
    for (const data_json of [
      '{"id":9007199254740993}',
      '"text"',
      "[1,null]",
      "null",
      "12345678901234567890",
    ]) {
      const { run_ids } = await call("ironflow_emit_event", { event: "greeting.asked", data_json });
      const waited = await session.callTool("ironflow_wait_for_run", { run_id: run_ids[0] });
      const [block] = waited.content as { text: string }[];
      expect(block?.text).toContain(`"input":${data_json},`);
    }
  });

  it("see a failed run and resume it", async () => {
    const { run_id } = await call("ironflow_invoke_function", { function_id: "break", data: { cup: 1 } });
    const failed = await call("ironflow_wait_for_run", { run_id });
    expect(failed).toMatchObject({ status: "failed", error: { message: "the cup is broken" } });
    expect(await call("ironbridge_get_run_attempts", { run_id })).toMatchObject({
      attempts: [{ attempt: 1, kind: "function", error: { message: "the cup is broken" } }],
      count: 1,
    });
    await engine.register("break", "break.asked", () => ({
      status: "completed",
      steps: [],
      result: "mended",
    }));
    await call("ironflow_resume_run", { run_id });
    expect(await call("ironflow_wait_for_run", { run_id })).toMatchObject({
      status: "completed",
      output: "mended",
    });
    expect(await failureOf("ironflow_cancel_run", { run_id })).toMatchObject({ retryable: false });
  });

  it("read everything else that the engine has", async () => {
    const info = await call("ironflow_server_info", {});
    expect(info).toMatchObject({ url: engine.url, authorized: true });
    const { functions } = await call("ironflow_list_functions", {});
    expect(functions.map(({ id }) => id).sort()).toEqual(["break", "greet"]);
    const detail = await call("ironflow_get_function", { function_id: "greet" });
    expect(detail).toMatchObject({ execution_mode: "push", triggers: [{ event: "greeting.asked" }] });
    const overview = await call("ironflow_overview", {});
    expect(overview).toMatchObject({ function_count: 2, connected_workers: 0 });
    expect(overview.recent_events.length).toBeGreaterThan(0);
    const events = await call("ironflow_list_events", { names: "greeting.asked", limit: 2 });
    expect(events).toMatchObject({ count: 2, has_next: true });
    expect(await call("ironflow_circuit_breaker_list", {})).toEqual({ items: [] });
    const deadLetters = await call("ironflow_dead_letter_list", { env: "env_default" });
    expect(deadLetters).toEqual({ items: [], total: 0, limit: 50, offset: 0 });
  });
});

it("tells the app of every change, over the engine's WebSocket", async () => {
  const heard = new Set<LiveTopic>();
  for (const topic of LiveTopic.options)
    await session.onResourceUpdated(liveUri(topic), () => heard.add(topic));
  const connection = () =>
    session.readText(CONNECTION_URI).then((text) => EngineConnection.parse(JSON.parse(text)));
  await poll("the WebSocket", async () => (await connection()).live === "websocket");
  heard.clear();
  await call("ironflow_emit_event", { event: "greeting.asked", data: {} });
  await poll("news of the event and its run", () => heard.has("events") && heard.has("runs"));
  await engine.register("third", "third.asked", () => ({ status: "completed", steps: [] }));
  await poll("news of the function", () => heard.has("functions"));
  expect(await connection()).toMatchObject({ state: "connected", url: engine.url });
});
