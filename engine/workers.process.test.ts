import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { JobAssignment } from "./contract/workers.ts";
import {
  createEngineFactory,
  type Answer,
  type EngineFactory,
  type EngineProcess,
} from "./testing/engine-process.ts";

let factory: EngineFactory;

beforeAll(async () => {
  factory = await createEngineFactory();
});

afterAll(() => factory.close());

async function put(engine: EngineProcess, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(engine.url + path, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const register = (engine: EngineProcess, id: string) =>
  put(engine, `/api/v1/workers/${id}/register`, {
    worker_id: id,
    hostname: "box",
    function_ids: ["p"],
    max_concurrent_jobs: 4,
    labels: { zone: "a" },
    version: { sdk: "test", runtime: "node" },
  });

/** The next jobs, or none. */
async function jobs(engine: EngineProcess, id: string): Promise<JobAssignment[]> {
  const response = await fetch(`${engine.url}/api/v1/workers/${id}/jobs?available=4`);
  if (response.status === 204) return [];
  const body = (await response.json()) as { jobs: unknown[] };
  return body.jobs.map((job) => JobAssignment.parse(job));
}

const tell = (engine: EngineProcess, id: string, job: JobAssignment, body: object) =>
  put(engine, `/api/v1/workers/${id}/jobs/${job.job_id}`, {
    run_id: job.run_id,
    execution_seq: job.execution_seq,
    lease_token: job.lease_token,
    ...body,
  });

async function start(flags: string[] = []): Promise<EngineProcess> {
  const engine = await factory.start({ flags: ["--dev", ...flags] });
  await engine.ask("RegisterFunction", {
    id: "p",
    triggers: [{ event: "go" }],
    preferred_mode: "EXECUTION_MODE_PULL",
    metadata: { __ironflow_code_hash: "0123456789abcdef" },
  });
  return engine;
}

const step = (runId: string, name: string, output: unknown) => ({
  id: `${runId}:${name}:0`,
  name,
  type: "invoke",
  status: "completed",
  started_at: new Date(0).toISOString(),
  output,
});

it("takes a run through three assignments, and shows the worker in the list", async () => {
  const engine = await start();
  const unknown = await fetch(`${engine.url}/api/v1/workers/w1/jobs?available=1`);
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { error: "worker not registered", code: "not_found" },
  ]);
  expect(await register(engine, "w1")).toEqual({ status: 200, body: { status: "registered" } });
  expect(await jobs(engine, "w1")).toEqual([]);
  expect(await engine.rest("/api/v1/workers")).toMatchObject({
    body: { count: 1, workers: [{ id: "w1", hostname: "box", function_ids: ["p"], max_concurrent: 4 }] },
  });

  const id = ((await engine.ask("Emit", { event: "go", data: { n: 1 } }))["runIds"] as string[])[0] ?? "";
  const [first] = await jobs(engine, "w1");
  if (first === undefined) throw new Error("no job");
  expect(first).toMatchObject({ run_id: id, attempt: 1, completed_steps: [], event: { data: { n: 1 } } });
  const lease = { run_id: id, execution_seq: first.execution_seq, lease_token: first.lease_token };
  expect((await put(engine, `/api/v1/workers/w1/jobs/${first.job_id}/ack`, lease)).status).toBe(200);
  await tell(engine, "w1", first, { status: "progress", steps: [step(id, "a", 1)], step_offset: 0 });
  await tell(engine, "w1", first, {
    status: "yielded",
    yield: { type: "sleep", step_id: `${id}:nap:0`, until: new Date().toISOString() },
  });
  const [second] = await poll("second assignment", async () => {
    const found = await jobs(engine, "w1");
    return found.length > 0 && found;
  });
  if (second === undefined) throw new Error("no job");
  expect(second.completed_steps.map(({ name, output }) => [name, output])).toEqual([
    ["a", 1],
    ["nap", undefined],
  ]);
  await tell(engine, "w1", second, {
    status: "yielded",
    yield: {
      type: "wait_for_event",
      step_id: `${id}:paid:0`,
      event_filter: { event: "paid", timeout: "1h" },
    },
  });
  await engine.ask("Emit", { event: "paid", data: { sum: 3 } });
  const [third] = await jobs(engine, "w1");
  if (third === undefined) throw new Error("no job");
  expect(third.completed_steps.at(-1)).toMatchObject({ name: "paid", output: { data: { sum: 3 } } });
  expect(await tell(engine, "w1", third, { status: "completed", output: "done" })).toMatchObject({
    status: 200,
  });
  expect(await engine.ask("GetRun", { id })).toMatchObject({
    status: "RUN_STATUS_COMPLETED",
    executionMode: "EXECUTION_MODE_PULL",
    workerId: "w1",
    outputValue: "done",
  });
  expect(await tell(engine, "w1", third, { status: "progress" })).toMatchObject({
    status: 409,
    body: { code: "RUN_NOT_RUNNING" },
  });
});

it("keeps acknowledged steps over kill -9, and gives the run of a silent worker to another one", async () => {
  const first = await start(["--lease-ms=5000"]);
  await register(first, "w1");
  const id = ((await first.ask("Emit", { event: "go" }))["runIds"] as string[])[0] ?? "";
  const [lost] = await jobs(first, "w1");
  if (lost === undefined) throw new Error("no job");
  expect((await tell(first, "w1", lost, { status: "progress", steps: [step(id, "a", 1)] })).status).toBe(200);
  await first.end("SIGKILL");

  const engine = await factory.start({ dataDir: first.dataDir, flags: ["--dev", "--lease-ms=5000"] });
  // After a restart workers are unknown and register again; the lost one never does.
  await register(engine, "w2");
  const [taken] = await poll("the take-over", async () => {
    const found = await jobs(engine, "w2");
    return found.length > 0 && found;
  });
  if (taken === undefined) throw new Error("no job");
  expect(taken).toMatchObject({ run_id: id, attempt: 1, completed_steps: [{ name: "a", output: 1 }] });
  expect(await tell(engine, "w1", lost, { status: "completed", output: "late" })).toMatchObject({
    status: 409,
    body: { code: "STALE_EXECUTION" },
  });
  await tell(engine, "w2", taken, { status: "completed", output: "done" });
  expect(await engine.ask("GetRun", { id })).toMatchObject({
    outputValue: "done",
    status: "RUN_STATUS_COMPLETED",
  });
  expect(engine.stderr()).not.toMatch(/"level":50/);
});

it("names what is wrong with what a worker says, and changes nothing", async () => {
  const engine = await start();
  await register(engine, "w1");
  const id = ((await engine.ask("Emit", { event: "go" }))["runIds"] as string[])[0] ?? "";
  const [job] = await jobs(engine, "w1");
  if (job === undefined) throw new Error("no job");
  const bad: [object, RegExp][] = [
    [{}, /^status: /],
    [{ status: "done" }, /^status: /],
    [{ status: "progress", steps: [{ name: 1 }] }, /^steps.0.name: /],
    [{ status: "progress", steps: Array(501).fill(step(id, "a", 1)) }, /^steps: /],
    [{ status: "failed" }, /^error: /],
    [{ status: "yielded" }, /^yield: /],
    [{ status: "progress", execution_seq: "1" }, /^execution_seq: /],
  ];
  for (const [body, message] of bad) {
    expect(await tell(engine, "w1", job, body)).toEqual({
      status: 400,
      body: { code: "invalid_argument", error: expect.stringMatching(message) },
    });
  }
  const stale = await tell(engine, "w1", job, { status: "completed", lease_token: "forged" });
  expect(stale).toMatchObject({ status: 409, body: { code: "STALE_EXECUTION" } });
  expect(await engine.ask("GetRun", { id })).toMatchObject({ status: "RUN_STATUS_RUNNING" });
  expect(await engine.ask("GetRunSteps", { runId: id })).toEqual({});
});
