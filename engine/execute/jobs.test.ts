import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { JobReport } from "../contract/workers.ts";
import type { RunRow } from "../store/runs.ts";
import { completed, createHarness, ENV, step, type Harness } from "../testing/harness.ts";
import { workerFor } from "../testing/worker.ts";
import { cancelRun } from "./commands.ts";
import { ackJob, claimJobs, jobIdOf, renewJobs, reportJob, type Lease } from "./jobs.ts";
import { DEFAULT_LEASE_MS } from "./leases.ts";
import { redactRun } from "./redact.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
  await engine.define("p", () => completed(), pull());
});

afterEach(() => engine.stop());

function pull(more: object = {}) {
  return { triggers: [{ event: "go" }], preferredMode: "pull", retry: { initialDelayMs: 100 }, ...more };
}

const worker = (id: string) => workerFor("p", { id, maxConcurrent: 10 });

const claim = async (id: string, limit = 10) =>
  (await engine.change((tx) => claimJobs(engine.core, tx, worker(id), limit))).map(({ run }) => run);

const leaseOf = (run: RunRow, id = run.worker_id ?? ""): Lease => ({
  workerId: id,
  jobId: jobIdOf(run),
  executionSeq: run.execution_seq,
  leaseToken: run.lease_token ?? undefined,
});

const report = (run: RunRow, body: object, id?: string) =>
  engine.change((tx) => reportJob(engine.core, tx, ENV, leaseOf(run, id), JobReport.parse(body)));

async function pass(ms: number): Promise<void> {
  engine.clock.advance(ms);
  await engine.settle();
}

const start = async () => (await engine.emit("go", { n: 1 })).runIds[0] ?? "";

it("gives each run to one worker only, and ends it with what the worker reports", async () => {
  const id = await start();
  expect(engine.run(id).status).toBe("waiting_for_capacity");
  const [first, second] = await Promise.all([claim("w1"), claim("w2")]);
  expect([...first, ...second].map((run) => run.id)).toEqual([id]);
  const run = engine.run(id);
  await engine.change((tx) => ackJob(engine.core, tx, ENV, leaseOf(run)));
  await report(run, { status: "progress", steps: [step(id, "a", 1)] });
  await report(run, { status: "completed", output: { done: true }, steps: [step(id, "b", 2)] });
  expect(engine.run(id)).toMatchObject({
    status: "completed",
    output: '{"done":true}',
    execution_mode: "pull",
  });
  expect(engine.steps(id).map(({ name, status }) => [name, status])).toEqual([
    ["a", "completed"],
    ["b", "completed"],
  ]);
  // The answer was lost and the worker says it again.
  await report(run, { status: "completed", output: { done: true } });
  await expect(report(run, { status: "progress" })).rejects.toMatchObject({ restCode: "RUN_NOT_RUNNING" });
});

it("gives a lost worker's run to another one with its acknowledged steps, and refuses the lost one", async () => {
  const id = await start();
  const [lost] = await claim("w1");
  if (lost === undefined) throw new Error("no job");
  await report(lost, { status: "progress", steps: [step(id, "a", 1)] });
  await pass(DEFAULT_LEASE_MS - 1);
  expect(await claim("w2")).toEqual([]);
  await engine.change((tx) => renewJobs(engine.core, tx, worker("w1"), [jobIdOf(lost)]));
  await pass(DEFAULT_LEASE_MS - 1);
  expect(await claim("w2")).toEqual([]);
  await pass(2);
  const [taken] = await claim("w2");
  expect(taken).toMatchObject({ id, attempt: 1, execution_seq: 2, takeovers: 1, worker_id: "w2" });
  expect(engine.steps(id)).toMatchObject([{ name: "a", status: "completed", output: "1" }]);
  for (const body of [{ status: "progress", steps: [step(id, "a", 9)] }, { status: "completed" }]) {
    await expect(report(lost, body)).rejects.toMatchObject({ restCode: "STALE_EXECUTION" });
  }
  await expect(engine.change((tx) => ackJob(engine.core, tx, ENV, leaseOf(lost)))).rejects.toMatchObject({
    code: "aborted",
  });
  // Nor may it speak in the other's name without the other's token.
  if (taken === undefined) throw new Error("no job");
  const forged = { ...leaseOf(taken), leaseToken: lost.lease_token ?? "" };
  await expect(engine.change((tx) => ackJob(engine.core, tx, ENV, forged))).rejects.toMatchObject({
    restCode: "STALE_EXECUTION",
  });
  await report(taken, { status: "completed", output: 2 });
  expect(engine.run(id).status).toBe("completed");
});

it("keeps lanes for pulled runs: their slots are free again when they end, are cancelled or change hands", async () => {
  await engine.define("p", () => completed(), pull({ concurrency: { limit: 1, key: "data.n" } }));
  const ids = [await start(), await start(), await start()];
  const [first, ...none] = await claim("w1");
  expect([first?.id, none]).toEqual([ids[0], []]);
  expect(await claim("w1")).toEqual([]);
  await engine.change((tx) => cancelRun(engine.core, tx, ENV, ids[0] ?? "", ""));
  if (first === undefined) throw new Error("no job");
  await expect(report(first, { status: "completed" })).rejects.toMatchObject({ restCode: "RUN_NOT_RUNNING" });
  const [second] = await claim("w1");
  expect(second?.id).toBe(ids[1]);
  await pass(DEFAULT_LEASE_MS + 1);
  const [third] = await claim("w2");
  expect(third?.id).toBe(ids[2]);
  if (third === undefined) throw new Error("no job");
  await report(third, { status: "failed", error: { message: "no", retryable: false } });
  expect(engine.run(ids[2] ?? "").status).toBe("failed");
  expect((await claim("w2")).map((run) => run.id)).toEqual([ids[1]]);
});

it("sleeps and retries between assignments, and counts the attempts", async () => {
  const id = await start();
  const [one] = await claim("w1");
  if (one === undefined) throw new Error("no job");
  const until = new Date(engine.clock.nowMs() + 1_000).toISOString();
  await report(one, { status: "yielded", yield: { type: "sleep", step_id: `${id}:nap:0`, until } });
  expect(engine.run(id).status).toBe("waiting");
  await pass(1_000);
  const [two] = await claim("w1");
  if (two === undefined) throw new Error("no job");
  await report(two, { status: "failed", error: { message: "later", retryable: true } });
  expect(engine.run(id)).toMatchObject({ status: "waiting", attempt: 2 });
  await pass(100);
  const [three] = await claim("w1");
  expect(three).toMatchObject({ attempt: 2, execution_seq: 3 });
});

it("holds a run that loses ten workers in a row, and one that is too slow is an attempt that failed", async () => {
  const id = await start();
  for (let n = 0; n < 10; n += 1) {
    expect(await claim("w1")).toHaveLength(1);
    await pass(DEFAULT_LEASE_MS + 1);
  }
  expect(engine.run(id)).toMatchObject({ status: "paused" });
  expect(engine.run(id).error).toContain("WORKER_LOST");

  await engine.define("p", () => completed(), pull({ timeoutMs: 5_000 }));
  const slow = await start();
  const [job] = await claim("w1");
  await pass(5_000);
  expect(engine.run(slow)).toMatchObject({ status: "waiting", attempt: 2 });
  expect(engine.run(slow).error).toContain("TIMEOUT");
  if (job === undefined) throw new Error("no job");
  await expect(report(job, { status: "completed" })).rejects.toMatchObject({ restCode: "RUN_NOT_RUNNING" });
});

it("keeps jobs over a restart of the engine: the worker goes on, and its slot is still taken", async () => {
  const folder = await mkdtemp(join(tmpdir(), "jobs-"));
  try {
    await engine.stop();
    const file = join(folder, "engine.db");
    engine = await createHarness({ file });
    await engine.define("p", () => completed(), pull({ concurrency: { limit: 1 } }));
    const ids = [await start(), await start()];
    const [job] = await claim("w1");
    if (job === undefined) throw new Error("no job");
    const { clock } = engine;
    await engine.stop();
    engine = await createHarness({ file, clock });
    expect(await claim("w2")).toEqual([]);
    await report(job, { status: "completed", output: 1 });
    expect((await claim("w2")).map((run) => run.id)).toEqual([ids[1]]);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

it("answers a step and an end that are told again like the first time, and refuses them with another output", async () => {
  const id = await start();
  const [run] = await claim("w1");
  if (run === undefined) throw new Error("no job");
  await report(run, { status: "progress", steps: [step(id, "a", { x: 1, y: 2 })] });
  await report(run, { status: "progress", steps: [step(id, "a", { y: 2, x: 1 })] });
  const other = { status: "progress", steps: [step(id, "b", 1), step(id, "a", { x: 1, y: 3 })] };
  await expect(report(run, other)).rejects.toMatchObject({
    code: "aborted",
    message: expect.stringContaining(`${id}:a:0`) as unknown,
  });
  // Nothing of it was stored, the step before the offending one neither.
  expect(engine.steps(id)).toMatchObject([{ name: "a", output: '{"x":1,"y":2}' }]);
  expect(engine.run(id)).toMatchObject({ status: "running", step_count: 1 });
  await report(run, { status: "completed", output: [1], steps: [step(id, "a", { x: 1, y: 2 })] });
  await report(run, { status: "completed", output: [1] });
  for (const body of [
    { status: "completed", output: [2] },
    { status: "completed" },
    { status: "completed", output: [1], steps: [step(id, "a", null)] },
  ]) {
    await expect(report(run, body)).rejects.toMatchObject({ code: "aborted" });
  }
  expect(engine.run(id)).toMatchObject({ status: "completed", output: "[1]" });
});

it("takes a step again whose output a person corrected or redacted meanwhile", async () => {
  const id = await start();
  const [run] = await claim("w1");
  if (run === undefined) throw new Error("no job");
  await report(run, { status: "progress", steps: [step(id, "a", 1)] });
  await engine.change((tx) =>
    engine.core.store.steps.patch(`${id}:a:0`, { output: "2", by: "api", injected: false }, tx.nowMs),
  );
  await report(run, { status: "completed", output: "secret", steps: [step(id, "a", 1)] });
  await engine.change((tx) => redactRun(engine.core, tx, ENV, id));
  await report(run, { status: "completed", output: "secret" });
  await expect(report(run, { status: "completed", output: "other" })).rejects.toMatchObject({
    restCode: "RUN_NOT_RUNNING",
  });
});
