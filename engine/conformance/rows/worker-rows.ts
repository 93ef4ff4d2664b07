import { poll } from "../../../loopback/testing/poll.ts";
import { workerCalls, type Assignment, type WorkerCalls } from "../../testing/pull-worker.ts";
import { expectLike, expectThat, isArray, isNumber, isText, isTime } from "../like.ts";
import { NotOffered, type Row } from "../row.ts";
import { WAIT_MS, type Body, type Target } from "../target.ts";

/** A registered worker for a pull function of its own. */
async function worker(t: Target): Promise<{ functionId: string; calls: WorkerCalls }> {
  const functionId = t.name("pulled");
  await t.rpc("RegisterFunction", {
    id: functionId,
    triggers: [{ event: functionId }],
    preferredMode: "EXECUTION_MODE_PULL",
    metadata: { __ironflow_code_hash: "0123456789abcdef" },
    retry: { maxAttempts: 3, initialDelayMs: 30, backoffFactor: 1 },
  });
  const calls = workerCalls(t.url, t.apiKey, t.name("worker"));
  const answer = await calls.register([functionId]);
  if (answer.status === 404 || answer.status === 501) throw new NotOffered(`register: ${answer.status}`);
  expectLike(answer, { status: 200 });
  return { functionId, calls };
}

async function nextJob(calls: WorkerCalls): Promise<Assignment> {
  return poll("a job", async () => (await calls.poll()).jobs[0], WAIT_MS);
}

async function started(t: Target): Promise<{ runId: string; calls: WorkerCalls; job: Assignment }> {
  const { functionId, calls } = await worker(t);
  const runId = await t.start(functionId, { n: 1 });
  const job = await nextJob(calls);
  expectLike((await calls.ack(job)).status, (status) => status === 200 || status === 204, "ack");
  return { runId, calls, job };
}

const stepOf = (runId: string, name: string, output: unknown) => ({
  id: `${runId}:${name}:0`,
  name,
  type: "invoke",
  status: "completed",
  started_at: new Date().toISOString(),
  ended_at: new Date().toISOString(),
  output,
});

const ok = (status: unknown) => status === 200 || status === 204;

/** Sections 2.8 and 4. */
export const workerRows: Row[] = [
  {
    id: "2.8.list",
    mark: "G",
    title: "GET /api/v1/workers has workers and count",
    check: async (t) => {
      expectLike(await t.get("/api/v1/workers"), { workers: isArray, count: isNumber });
    },
  },
  {
    id: "2.8.capacity",
    mark: "K",
    title: "the capacity lists are for platform keys: a tenant key gets 403",
    check: async (t) => {
      for (const kind of ["stats", "lanes", "queue", "leases", "buckets", "sessions", "credits"])
        await t.restFails("GET", `/api/v1/capacity/${kind}`, 403);
    },
  },
  {
    id: "4.register",
    mark: "S",
    title: "a registered worker is listed with what it said of itself",
    check: async (t) => {
      const { functionId, calls } = await worker(t);
      const { workers } = (await t.get("/api/v1/workers")) as { workers: Body[] };
      expectLike(
        workers.find(({ id }) => id === calls.id),
        {
          id: calls.id,
          hostname: "test",
          function_ids: [functionId],
          active_jobs: 0,
          max_concurrent: 4,
          version: { sdk: "test" },
          registered_at: isTime,
          last_heartbeat: isTime,
        },
      );
    },
  },
  {
    id: "4.unknown-worker",
    mark: "S",
    title: "polling as a worker that nobody knows is 404",
    check: async (t) => {
      await worker(t); // whether workers are offered at all
      expectLike((await workerCalls(t.url, t.apiKey, t.name("nobody")).poll()).status, 404);
    },
  },
  {
    id: "4.heartbeat",
    mark: "S",
    title: "a heartbeat is accepted",
    check: async (t) => {
      const { calls } = await worker(t);
      expectLike((await calls.heartbeat()).status, ok);
    },
  },
  {
    id: "4.no-job",
    mark: "S",
    title: "no job is 204",
    check: async (t) => {
      const { calls } = await worker(t);
      expectLike((await calls.poll()).status, 204);
    },
  },
  {
    id: "4.assignment",
    mark: "R",
    title: "an assignment carries job, run, function, attempt, event and completed steps",
    check: async (t) => {
      const { runId, job } = await started(t);
      expectLike(job, {
        job_id: isText,
        run_id: runId,
        function_id: isText,
        attempt: 1,
        event: { id: /^evt_/, name: isText, data: { n: 1 }, timestamp: isTime },
      });
      expectThat("no completed step", (job.completed_steps ?? []).length === 0);
      expectLike(await t.run(runId), { executionMode: "EXECUTION_MODE_PULL", status: "RUN_STATUS_RUNNING" });
    },
  },
  {
    id: "4.completed",
    mark: "S",
    title: "completed ends the run with its output and steps",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      const answer = await calls.report(job, {
        status: "completed",
        output: { ok: 1 },
        steps: [stepOf(runId, "a", 1)],
        step_offset: 0,
      });
      expectLike(answer.status, ok);
      expectLike(await t.reaches(runId, "completed"), { output: { ok: 1 } });
      expectLike(await t.steps(runId), [{ stepId: "a", outputValue: 1, status: "STEP_STATUS_COMPLETED" }]);
    },
  },
  {
    id: "4.failed",
    mark: "S",
    title: "failed with retryable true hands the job out again, with the attempt counted",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      const error = { message: "not now", code: "ERROR", retryable: true };
      expectLike((await calls.report(job, { status: "failed", error })).status, ok);
      const again = await nextJob(calls);
      expectLike(again, { run_id: runId, attempt: 2 });
      await calls.ack(again);
      await calls.report(again, { status: "failed", error: { ...error, retryable: false } });
      expectLike(await t.reaches(runId, "failed"), { error: { message: "not now" } });
    },
  },
  {
    id: "4.progress",
    mark: "R",
    title: "a checkpoint stores steps, and the next assignment carries them",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      const first = await calls.report(job, {
        status: "progress",
        steps: [stepOf(runId, "a", { n: 1 })],
        step_offset: 0,
      });
      expectLike(first.status, ok);
      expectLike(await t.steps(runId), [{ stepId: "a", status: "STEP_STATUS_COMPLETED" }]);
      await calls.report(job, {
        status: "yielded",
        yield: { step_id: `${runId}:nap:0`, type: "sleep", until: new Date().toISOString() },
      });
      const again = await nextJob(calls);
      const carried = (again.completed_steps ?? []).map(({ step_id: id, output }) => [id, output ?? null]);
      expectLike(carried, [
        [`${runId}:a:0`, { n: 1 }],
        [`${runId}:nap:0`, null],
      ]);
      await calls.ack(again);
      await calls.report(again, { status: "completed", output: 1, steps: [], step_offset: 0 });
      await t.reaches(runId, "completed");
    },
  },
  {
    id: "4.yield.wait",
    mark: "R",
    title: "a pulled run waits for an event as a pushed one does",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      const paid = t.name("paid");
      await calls.report(job, {
        status: "yielded",
        yield: { step_id: `${runId}:w:0`, type: "wait_for_event", event_filter: { event: paid } },
      });
      await t.reaches(runId, "waiting");
      await t.emit(paid, { amount: 1 });
      const again = await nextJob(calls);
      expectLike(again.completed_steps?.[0]?.output, { name: paid, data: { amount: 1 } });
      await calls.ack(again);
      await calls.report(again, { status: "completed", output: null });
      await t.reaches(runId, "completed");
    },
  },
  {
    id: "4.stale",
    mark: "S",
    title: "a report of an execution that another one has replaced is 409 with its code, and changes nothing",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      await calls.report(job, { status: "failed", error: { message: "not now", retryable: true } });
      const second = await nextJob(calls);
      await calls.ack(second);
      for (const late of [
        { status: "completed", output: 1 },
        { status: "progress", steps: [stepOf(runId, "late", 1)], step_offset: 0 },
        { status: "failed", error: { message: "late", retryable: false } },
      ])
        expectLike(await calls.report(job, late), {
          status: 409,
          body: { code: /^(STALE_EXECUTION|RUN_NOT_RUNNING)$/ },
        });
      expectLike(await t.steps(runId), []);
      await calls.report(second, { status: "completed", output: 2 });
      expectLike(await t.reaches(runId, "completed"), { outputValue: 2 });
    },
  },
  {
    id: "4.ended",
    mark: "S",
    title: "a checkpoint for a run at its end is 409, the same end told again changes nothing",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      await calls.report(job, { status: "completed", output: 1 });
      const run = await t.reaches(runId, "completed");
      const steps = [stepOf(runId, "late", 1)];
      expectLike(await calls.report(job, { status: "progress", steps, step_offset: 0 }), {
        status: 409,
        body: { code: /^(STALE_EXECUTION|RUN_NOT_RUNNING)$/ },
      });
      // A worker that lost the answer may be told yes or no.
      const { status } = await calls.report(job, { status: "completed", output: 1 });
      expectThat(`yes or no, not ${status}`, ok(status) || status === 409);
      expectLike(await t.run(runId), { outputValue: 1, updatedAt: String(run["updatedAt"]) });
      expectLike(await t.steps(runId), []);
    },
  },
  {
    id: "4.told-again",
    mark: "I",
    title: "a step or an end told again with another output is refused and changes nothing",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      const tell = (output: unknown) =>
        calls.report(job, { status: "progress", steps: [stepOf(runId, "a", output)], step_offset: 0 });
      expectLike((await tell(1)).status, ok);
      expectLike((await tell(1)).status, ok);
      expectLike((await tell(2)).status, 409);
      expectLike(await t.steps(runId), [{ stepId: "a", outputValue: 1 }]);
      expectLike((await calls.report(job, { status: "completed", output: "one" })).status, ok);
      expectLike((await calls.report(job, { status: "completed", output: "two" })).status, 409);
      expectLike(await t.run(runId), { status: "RUN_STATUS_COMPLETED", outputValue: "one" });
    },
  },
  {
    id: "4.available",
    mark: "S",
    title: "available bounds the jobs of one answer, and each job is given once",
    check: async (t) => {
      const { functionId, calls } = await worker(t);
      for (let n = 0; n < 3; n += 1) await t.start(functionId, { n });
      const first = await calls.poll(2);
      const second = await calls.poll(10);
      expectThat("two, then one", first.jobs.length === 2 && second.jobs.length === 1);
      expectThat(
        "three runs",
        new Set([...first.jobs, ...second.jobs].map(({ run_id: id }) => id)).size === 3,
      );
    },
  },
  {
    id: "4.yield.sleep",
    mark: "R",
    title: "a pulled run sleeps: the next assignment comes after its time, with the sleep completed",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      const until = new Date(Date.now() + 300).toISOString();
      const sleep = { step_id: `${runId}:nap:0`, type: "sleep", until };
      expectLike((await calls.report(job, { status: "yielded", yield: sleep })).status, ok);
      const again = await nextJob(calls);
      expectThat("not before its time", Date.now() >= Date.parse(until));
      expectLike(again.completed_steps, [{ step_id: `${runId}:nap:0`, name: "nap" }]);
    },
  },
  {
    id: "4.cancelled",
    mark: "S",
    title: "a report for a cancelled run is 409",
    check: async (t) => {
      const { runId, calls, job } = await started(t);
      await t.rpc("CancelRun", { id: runId });
      expectLike((await calls.report(job, { status: "completed", output: 1 })).status, 409);
      expectLike(await t.run(runId), { status: "RUN_STATUS_CANCELLED" });
    },
  },
  {
    id: "4.put",
    mark: "S",
    title: "register and heartbeat may be PUT too",
    check: async (t) => {
      const { functionId, calls } = await worker(t);
      const base = `/api/v1/workers/${calls.id}`;
      const body = {
        worker_id: calls.id,
        hostname: "h",
        function_ids: [functionId],
        max_concurrent_jobs: 1,
        labels: {},
        version: { sdk: "s", runtime: "r" },
      };
      expectLike(await t.send("PUT", `${base}/register`, body), { status: "registered" });
      await t.send("PUT", `${base}/heartbeat`, { worker_id: calls.id, active_jobs: 0, jobs: [] });
    },
  },
];
