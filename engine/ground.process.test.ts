import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { BOOTSTRAP_KEY_FILE } from "./bootstrap-key.ts";
import { ConnectRun, GetRunStepsResponse, ListRunsResponse } from "./contract/runs.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "./testing/function-server.ts";

let factory: EngineFactory;
let functions: FunctionServer;

beforeAll(async () => {
  factory = await createEngineFactory();
  functions = await createFunctionServer({
    order: async ({ event, steps }) => {
      const { id } = event.data as { id: string };
      await steps.run("reserve", () => ({ reserved: id }));
      await steps.run("charge", () => 42);
      return { order: id };
    },
    label: async ({ steps }) => {
      await steps.run("print", () => {
        throw new Error("postcode is missing");
      });
    },
  });
});

afterAll(async () => {
  await functions.close();
  await factory.close();
});

async function register(engine: EngineProcess): Promise<void> {
  await engine.ask("RegisterFunction", {
    id: "order",
    triggers: [{ event: "order.placed" }],
    endpointUrl: functions.endpoint("order"),
    preferredMode: "push",
  });
  await engine.ask("RegisterFunction", {
    id: "label",
    triggers: [{ event: "label.*" }],
    endpoint_url: functions.endpoint("label"),
    preferred_mode: "EXECUTION_MODE_PUSH",
  });
}

async function ended(engine: EngineProcess, id: string): Promise<ConnectRun> {
  return poll(`run ${id} to end`, async () => {
    const run = ConnectRun.parse(await engine.ask("GetRun", { id }));
    return /COMPLETED|FAILED|PAUSED/.test(run.status) && run;
  });
}

it("registers a function, runs it for an event and shows run and steps in both eras", async () => {
  const engine = await factory.start();
  await register(engine);
  const emitted = await engine.ask("Emit", { event: "order.placed", data: { id: "o-1" } });
  const id = String((emitted["runIds"] as string[])[0]);

  const run = await ended(engine, id);
  expect(run).toMatchObject({
    functionId: "order",
    status: "RUN_STATUS_COMPLETED",
    eventId: emitted["eventId"],
    eventName: "order.placed",
    input: { id: "o-1" },
    output: { order: "o-1" },
    attempt: 1,
  });
  const { steps } = GetRunStepsResponse.parse(await engine.ask("GetRunSteps", { runId: id }));
  expect(steps.map((step) => [step.stepId, step.status, step.sequence])).toEqual([
    ["reserve", "STEP_STATUS_COMPLETED", 1],
    ["charge", "STEP_STATUS_COMPLETED", 2],
  ]);
  expect(steps[1]).toMatchObject({ outputValue: 42 });
  expect(steps[1]).not.toHaveProperty("output");

  const rest = await engine.rest(`/api/v1/runs/${id}`);
  expect(rest.body).toMatchObject({
    id,
    status: "completed",
    output: { order: "o-1" },
    event_name: "order.placed",
  });
  const restSteps = await engine.rest(`/api/v1/runs/${id}/steps`);
  expect(restSteps.body).toMatchObject({ count: 2, steps: [{ step_id: "reserve" }, { output: 42 }] });
});

it("ends a run as failed when its function says that retrying is useless", async () => {
  const engine = await factory.start();
  await register(engine);
  const emitted = await engine.rest("/api/v1/events", { name: "label.wanted", data: {} });
  expect(emitted.status).toBe(200);
  const run = await ended(engine, String((emitted.body["run_ids"] as string[])[0]));
  expect(run.status).toBe("RUN_STATUS_FAILED");
  expect(run.error).toMatchObject({ message: "postcode is missing", code: "STEP_FAILED" });

  const failed = ListRunsResponse.parse(await engine.ask("ListRuns", { status: "failed" }));
  expect(failed.runs.map(({ id }) => id)).toEqual([run.id]);
  expect(failed.totalCount).toBe(1);
  const listed = await engine.rest("/api/v1/runs?status=failed,paused&function_id=label");
  expect(listed.body).toMatchObject({ count: 1, total_count: 1, runs: [{ id: run.id }] });
});

it("invokes one function by id and answers a repeated key with the same run", async () => {
  const engine = await factory.start();
  await register(engine);
  const first = await engine.ask("InvokeFunction", {
    functionId: "order",
    data: { id: "i" },
    idempotencyKey: "k",
  });
  const again = await engine.ask("InvokeFunction", {
    functionId: "order",
    data: { id: "x" },
    idempotencyKey: "k",
  });
  expect(again).toEqual(first);
  expect(await ended(engine, String(first["runId"]))).toMatchObject({ output: { order: "i" } });

  const rest = await engine.rest("/api/v1/functions/order/invoke", { data: [1, 2] });
  const run = await engine.ask("GetRun", { id: rest.body["run_id"] });
  expect(run).toMatchObject({ inputValue: [1, 2] });
  expect((await engine.rest("/api/v1/functions/none/invoke", { data: {} })).status).toBe(404);
});

it("answers a repeated emit with the same event and runs, and routes it once", async () => {
  const engine = await factory.start();
  await register(engine);
  const message = { event: "order.placed", data: { id: "o-2" }, idempotencyKey: "order o-2" };
  const first = await engine.ask("Emit", message);
  expect(await engine.ask("Trigger", message)).toEqual(first);
  const runs = ListRunsResponse.parse(await engine.ask("ListRuns", { eventId: first["eventId"] }));
  expect(runs.totalCount).toBe(1);
});

it("wants the key of the bootstrap file, refuses foreign Host and any Origin, and leaves health open", async () => {
  const engine = await factory.start({ flags: [] });
  const file = join(engine.dataDir, BOOTSTRAP_KEY_FILE);
  expect(statSync(file).mode & 0o777).toBe(0o400);
  expect((await engine.rest("/api/v1/runs")).status).toBe(200);

  const get = (path: string, headers: Record<string, string>) => fetch(engine.url + path, { headers });
  expect((await get("/health", {})).status).toBe(200);
  expect(await (await get("/api/v1/capabilities", {})).json()).toMatchObject({ auth_required: true });
  expect((await get("/api/v1/runs", {})).status).toBe(401);
  expect((await get("/api/v1/runs", { authorization: "Bearer ifkey_wrong" })).status).toBe(401);
  const authorization = `Bearer ${engine.key}`;
  expect((await get("/api/v1/runs", { authorization, origin: engine.url })).status).toBe(403);
  expect((await get("/api/v1/runs", { authorization, "x-ironflow-environment": "env_other" })).status).toBe(
    403,
  );
  expect((await get("/api/v1/runs", { authorization, "x-ironflow-environment": "default" })).status).toBe(
    200,
  );
  expect(engine.stderr() + engine.stdout()).not.toContain(engine.key);
});

it("keeps its key over restarts", async () => {
  const engine = await factory.start({ flags: [] });
  expect(await engine.end("SIGTERM")).toBe(0);
  const again = await factory.start({ flags: [], dataDir: engine.dataDir });
  expect(again.key).toBe(engine.key);
  expect((await again.rest("/api/v1/runs")).status).toBe(200);
});

it("stops in order when stdin ends: checkpointed, and the folder is free again", async () => {
  const engine = await factory.start();
  await register(engine);
  await expect(factory.start({ dataDir: engine.dataDir })).rejects.toThrow(/another engine is running/);
  expect(await engine.endStdin()).toBe(0);
  expect(engine.stderr()).toContain('"reason":"what started it asks for it","msg":"stopping in order"');
  expect(existsSync(join(engine.dataDir, "engine.db-wal"))).toBe(false);
  const again = await factory.start({ dataDir: engine.dataDir });
  expect(await again.ask("ListFunctions", {})).toMatchObject({ totalCount: 2 });
});

it("loses no acknowledged event and no run when it is killed while events stream in", async () => {
  let engine = await factory.start();
  await register(engine);
  const acknowledged: { eventId: string; runId: string }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const target = engine;
    const streams = Array.from({ length: 8 }, async (_, stream) => {
      for (let n = 0; ; n += 1) {
        const id = `${round}-${stream}-${n}`;
        const emitted = await target.ask("Emit", { event: "order.placed", data: { id } });
        acknowledged.push({
          eventId: String(emitted["eventId"]),
          runId: String((emitted["runIds"] as string[])[0]),
        });
      }
    }).map((stream) => stream.catch(() => "cut off"));
    const goal = acknowledged.length + 150;
    await poll("enough events", () => acknowledged.length >= goal);
    await target.end("SIGKILL");
    expect(new Set(await Promise.all(streams))).toEqual(new Set(["cut off"]));
    engine = await factory.start({ dataDir: engine.dataDir });
  }
  expect(new Set(acknowledged.map(({ eventId }) => eventId)).size).toBe(acknowledged.length);
  for (const { eventId, runId } of acknowledged) {
    expect((await engine.rest(`/api/v1/events/${eventId}`)).status).toBe(200);
    expect(await ended(engine, runId)).toMatchObject({ status: "RUN_STATUS_COMPLETED", eventId });
  }
});

it("keeps every member and digit of the caller's JSON, whatever their names", async () => {
  const engine = await factory.start();
  const data = '{"__proto__":{"a":1},"n":12345678901234567890}';
  const metadata = '{"__proto__":"x","k":0.12345678901234567890}';
  for (const [path, name] of [
    ["/ironflow.v1.IronflowService/Emit", "event"],
    ["/api/v1/events", "name"],
  ] as const) {
    const answer = await fetch(engine.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"${name}":"x","data":${data},"metadata":${metadata}}`,
    });
    expect(answer.status).toBe(200);
  }
  const events = await (await fetch(`${engine.url}/api/v1/events`)).text();
  expect(events.split(`"data":${data}`)).toHaveLength(3);
  expect(events.split(`"metadata":${metadata}`)).toHaveLength(3);

  const registered = await fetch(`${engine.url}/ironflow.v1.IronflowService/RegisterFunction`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"id":"m","endpointUrl":"http://127.0.0.1:1/","metadata":${metadata}}`,
  });
  expect(await registered.text()).toContain(`"metadata":${metadata}`);
  await engine.end("SIGKILL");
});
