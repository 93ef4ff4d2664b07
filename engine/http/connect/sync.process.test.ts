import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../../../loopback/testing/poll.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "../../testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "../../testing/function-server.ts";

let factory: EngineFactory;
let engine: EngineProcess;
let functions: FunctionServer;

beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start();
  functions = await createFunctionServer({
    add: async ({ event, steps }) => {
      const { a, b } = event.data as { a: number; b: number };
      return await steps.run("sum", () => a + b);
    },
    slow: async ({ steps }) => {
      await steps.sleep("long", 3_600_000);
      return "never";
    },
  });
  for (const id of ["add", "slow"]) {
    await engine.ask("RegisterFunction", {
      id,
      triggers: [{ event: `${id}.*` }],
      endpointUrl: functions.endpoint(id),
      changeReason: "first",
    });
  }
});

afterAll(async () => {
  await functions.close();
  await factory.close();
});

it("waits for the runs of a trigger and for an invoked run, and says when the wait was too short", async () => {
  const triggered = await engine.ask("TriggerSync", { event: "add.two", data: { a: 1, b: 2 } });
  expect(triggered).toMatchObject({
    results: [{ functionId: "add", status: "RUN_STATUS_COMPLETED", outputValue: 3 }],
  });
  const invoke = { functionId: "add", data: { a: 4, b: 5 }, idempotencyKey: "once" };
  const first = await engine.ask("InvokeFunctionSync", invoke);
  expect(first).toMatchObject({ result: { outputValue: 9 } });
  expect(await engine.ask("InvokeFunctionSync", invoke)).toEqual(first);
  const late = await engine.ask("TriggerSync", { event: "slow.one", timeoutMs: 50 });
  expect(late).toMatchObject({ results: [{ functionId: "slow", waitTimedOut: true }] });
  const nobody = await engine.ask("TriggerSync", { event: "nobody.listens" });
  expect(nobody["results"]).toBeUndefined();
});

it("cancels the run of a synchronous invoke whose caller goes away, and not that of a trigger", async () => {
  const abort = new AbortController();
  const send = (method: string, message: object) =>
    fetch(`${engine.url}/ironflow.v1.IronflowService/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
      signal: abort.signal,
    }).catch(() => undefined);
  const runsOf = async (search: string) =>
    ((await engine.ask("ListRuns", { functionId: "slow", ...(search === "" ? {} : { eventId: search }) }))[
      "runs"
    ] ?? []) as { id: string; status: string; eventName: string; cancellationCause?: string }[];
  const invoked = send("InvokeFunctionSync", { functionId: "slow" });
  const triggered = send("TriggerSync", { event: "slow.two" });
  await poll("both runs asleep", async () => {
    const runs = await runsOf("");
    const names = new Set(
      runs.filter((run) => run.status === "RUN_STATUS_WAITING").map((run) => run.eventName),
    );
    return names.has("slow") && names.has("slow.two");
  });
  abort.abort();
  await Promise.all([invoked, triggered]);
  const cancelled = await poll("the cancelled run", async () =>
    (await runsOf("")).find((run) => run.status === "RUN_STATUS_CANCELLED"),
  );
  expect(cancelled).toMatchObject({ eventName: "slow", cancellationCause: "the caller went away" });
  expect((await runsOf("")).find((run) => run.eventName === "slow.two")?.status).toBe("RUN_STATUS_WAITING");
});

it("takes a batch whole or not at all", async () => {
  const batch = await engine.ask("TriggerBatch", {
    events: [
      { event: "add.a", data: { a: 1, b: 1 } },
      { event: "plain", data_value: [1] },
    ],
  });
  expect(batch).toMatchObject({
    results: [{ runIds: [expect.any(String)] }, { eventId: expect.any(String) }],
  });
  const before = (await engine.rest("/api/v1/events")).body["approx_total"];
  const bad = await engine.connect("TriggerBatch", { events: [{ event: "plain" }, { event: "a b" }] });
  expect(bad.status).toBe(400);
  expect((await engine.rest("/api/v1/events")).body["approx_total"]).toBe(before);
  expect((await engine.rest("/api/v1/events/names")).body).toMatchObject({
    names: expect.arrayContaining([{ name: "plain", count: 1 }]),
    truncated: false,
  });
});

it("answers pause, patch, audit, history and explain over the wire", async () => {
  const { runIds } = (await engine.ask("Emit", { event: "slow.three" })) as { runIds: string[] };
  const runId = runIds[0] ?? "";
  await poll(
    "the sleep",
    async () => (await engine.ask("GetRun", { id: runId }))["status"] === "RUN_STATUS_WAITING",
  );
  expect(await engine.ask("PauseRun", { runId })).toEqual({ status: "paused" });
  const state = await engine.ask("GetPausedState", { runId });
  expect(state).toEqual({ nextStepHint: "long", pauseReason: "sleep" });
  const injected = await engine.ask("InjectStepOutput", {
    runId,
    stepId: "long",
    newOutput: Buffer.from("null").toString("base64"),
  });
  expect(injected).toEqual({ stepId: `${runId}:long:0` });
  await engine.ask("ResumeRun", { runId });
  await poll(
    "the end",
    async () => (await engine.ask("GetRun", { id: runId }))["status"] === "RUN_STATUS_COMPLETED",
  );
  const patched = await engine.rest("/api/v1/steps/patch", {
    step_id: `${runId}:long:0`,
    output: { x: 1 },
    reason: "r",
  });
  expect(patched).toMatchObject({ status: 200, body: { output: { x: 1 }, patched_by: "api" } });

  const audit = await engine.rest(`/api/v1/runs/${runId}/audit?limit=3`);
  const types = (audit.body["events"] as { event_type: string }[]).map((row) => row.event_type);
  expect(types).toEqual(["step.patched", "run.completed", "run.resumed"]);
  const trail = await fetch(`${engine.url}/ironflow.v1.AuditService/GetAuditTrail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ runId, eventType: "run.created" }),
  });
  expect(await trail.json()).toMatchObject({ totalCount: 1, events: [{ runId, eventType: "run.created" }] });

  expect(await engine.ask("ListFunctionHistory", { functionId: "slow" })).toMatchObject({
    totalCount: 1,
    versions: [{ id: "slow", version: 1, changeReason: "first" }],
  });
  const explained = await engine.rest("/api/v1/events/explain", { event: "add.x", data: {} });
  expect(explained.body).toMatchObject({
    stored: false,
    functions: [
      { function_id: "add", decision: "run", trigger: { event: "add.*" } },
      { function_id: "slow", decision: "not_matched", reason: "its triggers name slow.*" },
    ],
  });
  const both = await engine.rest("/api/v1/events/explain", { event: "a", event_id: "evt_x" });
  expect(both).toMatchObject({
    status: 400,
    body: { error: "exactly one of event_id and event is required" },
  });

  await engine.ask("RedactRun", { runId });
  const run = await engine.ask("GetRun", { id: runId });
  expect(run["input"]).toMatchObject({ $redacted: true, sha256: expect.any(String) });
  expect(await engine.ask("DeleteRuns", { functionId: "slow", status: "completed" })).toEqual({
    deleted: "1",
  });
  expect((await engine.connect("GetRun", { id: runId })).status).toBe(404);
});

it("refuses a batch that reaches too many runs as a whole, and takes a smaller one", async () => {
  for (let i = 0; i < 11; i += 1) {
    await engine.ask("RegisterFunction", {
      id: `fan-${i}`,
      triggers: [{ event: "fan.*" }],
      preferredMode: "EXECUTION_MODE_PULL",
    });
  }
  const events = (count: number) => ({ events: Array.from({ length: count }, () => ({ event: "fan.x" })) });
  const before = (await engine.rest("/api/v1/events")).body["approx_total"];
  const refused = await engine.connect("TriggerBatch", events(91));
  expect(refused).toMatchObject({
    status: 429,
    body: {
      code: "resource_exhausted",
      message: "events: together they reach more than 1000 runs: send fewer at once",
    },
  });
  expect((await engine.rest("/api/v1/events")).body["approx_total"]).toBe(before);
  const { results } = (await engine.ask("TriggerBatch", events(90))) as { results: { runIds: string[] }[] };
  expect(results.flatMap(({ runIds }) => runIds)).toHaveLength(990);
});
