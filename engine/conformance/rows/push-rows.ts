import { createHmac } from "node:crypto";
import { poll } from "../../../loopback/testing/poll.ts";
import type { PushRequest } from "../../contract/push.ts";
import { RetryableError } from "../../demo/steps.ts";
import { expectLike, expectThat, isNumber, isText, isTime } from "../like.ts";
import { NotOffered, type Row } from "../row.ts";
import { WAIT_MS, type Target } from "../target.ts";

/** Calls of a run, oldest first. */
function callsOf(t: Target, runId: string): PushRequest[] {
  return t.functions.received
    .filter(({ body }) => body.includes(`"run_id":"${runId}"`))
    .map(({ body }) => JSON.parse(body) as PushRequest);
}

const at = () => new Date().toISOString();
const done = (id: string, name: string, output: unknown) => ({
  id,
  name,
  type: "invoke",
  status: "completed",
  started_at: at(),
  ended_at: at(),
  output,
});

/** Section 3: what push functions get and what their answers do, and section 5's lifecycle. */
export const pushRows: Row[] = [
  {
    id: "3.1.request",
    mark: "S",
    title: "a call carries run, function, attempt, the event and the steps so far",
    check: async (t) => {
      const id = await t.define("called", async () => 1);
      const { eventId, runIds } = await t.rpc("Emit", {
        event: id,
        data: { a: 1 },
        metadata: { m: 1 },
        idempotencyKey: t.name("k"),
      });
      const [runId] = runIds as string[];
      await t.reaches(String(runId), "completed");
      const [call] = callsOf(t, String(runId));
      expectLike(call, {
        run_id: String(runId),
        function_id: id,
        attempt: 1,
        event: {
          id: String(eventId),
          name: id,
          data: { a: 1 },
          timestamp: isTime,
          version: 1,
          metadata: { m: 1 },
          idempotency_key: isText,
        },
        steps: (value) => value === null || (Array.isArray(value) && value.length === 0),
      });
    },
  },
  {
    id: "3.1.signature",
    mark: "R",
    title: "a call is signed over its raw body with the signing key",
    check: async (t) => {
      if (t.signingKey === undefined) throw new NotOffered("the signing key is not known");
      const id = await t.define("signed", async () => 1);
      const runId = await t.start(id, { text: "grüße" });
      await t.reaches(runId, "completed");
      const call = t.functions.received.find(({ body }) => body.includes(runId));
      const wanted = createHmac("sha256", t.signingKey)
        .update(call?.body ?? "", "utf8")
        .digest("hex");
      expectLike(call?.signature, `sha256=${wanted}`);
    },
  },
  {
    id: "3.1.completed-steps",
    mark: "G",
    title: "the next call carries the completed steps with their ids and outputs",
    check: async (t) => {
      const id = await t.define("two-calls", async ({ steps }) => {
        await steps.run("one", () => ({ n: 1 }));
        await steps.sleep("nap", 1);
        return "end";
      });
      const runId = await t.start(id);
      await t.reaches(runId, "completed");
      const second = callsOf(t, runId)[1];
      expectLike(second?.steps, [
        { id: `${runId}:one:0`, name: "one", status: "completed", output: { n: 1 } },
        { id: `${runId}:nap:0`, name: "nap", status: "completed" },
      ]);
    },
  },
  {
    id: "3.1.budget",
    mark: "K",
    title: "a call that takes longer than timeoutMs is an attempt that failed",
    check: async (t) => {
      const id = await t.define(
        "slow",
        { answer: () => new Promise((resolve) => setTimeout(resolve, 1_000, {})) },
        {
          timeoutMs: 100,
          retry: { maxAttempts: 1 },
        },
      );
      expectLike(await t.reaches(await t.start(id), "paused"), { error: { message: isText } });
    },
  },
  {
    id: "3.2.completed",
    mark: "S",
    title: "completed ends the run with its result and stores the steps of the call",
    check: async (t) => {
      const id = await t.define("raw", {
        answer: ({ run_id: run }) => ({
          status: "completed",
          steps: [done(`${run}:a:0`, "a", 1), { ...done(`${run}:b:0`, "b", [2]), duration_ms: 12 }],
          result: { ok: 1 },
        }),
      });
      const run = await t.reaches(await t.start(id), "completed");
      expectLike(run, { output: { ok: 1 } });
      expectLike(await t.steps(String(run["id"])), [
        { stepId: "a", outputValue: 1 },
        { stepId: "b", outputValue: [2], durationMs: 12 },
      ]);
    },
  },
  {
    id: "3.2.failed.final",
    mark: "S",
    title: "failed with retryable false ends the run as failed, with its error and no second call",
    check: async (t) => {
      const id = await t.define("final", async ({ steps }) => {
        await steps.run("broken", () => {
          throw new Error("postcode is missing");
        });
      });
      const run = await t.reaches(await t.start(id), "failed");
      expectLike(run, { error: { message: "postcode is missing", code: "STEP_FAILED" }, attempt: 1 });
      expectThat("one call", callsOf(t, String(run["id"])).length === 1);
      expectLike(await t.steps(String(run["id"])), [{ stepId: "broken", status: "STEP_STATUS_FAILED" }]);
    },
  },
  {
    id: "3.2.failed.retryable",
    mark: "D",
    title: "failed with retryable true is tried again, with the attempt counted and completed steps kept",
    check: async (t) => {
      let first = 0;
      let calls = 0;
      const id = await t.define("flaky", async ({ steps }) => {
        await steps.run("one", () => (first += 1));
        calls += 1;
        if (calls < 3) throw new RetryableError("not yet");
        return "at last";
      });
      const run = await t.reaches(await t.start(id), "completed");
      expectLike(run, { attempt: 3, outputValue: "at last", error: undefined });
      expectLike(
        callsOf(t, String(run["id"])).map(({ attempt }) => attempt),
        [1, 2, 3],
      );
      expectThat("the step was done once", first === 1);
    },
  },
  {
    id: "5.retries-exhausted",
    mark: "M",
    title: "a run that used its attempts up is paused or failed, with the last error",
    check: async (t) => {
      const id = await t.define("hopeless", async () => {
        throw new RetryableError("never");
      });
      const runId = await t.start(id);
      const run = await poll(
        "its end",
        async () => {
          const row = await t.run(runId);
          return /PAUSED|FAILED/.test(String(row["status"])) && row;
        },
        WAIT_MS,
      );
      expectLike(run, { error: { message: "never" }, attempt: 3 });
      expectThat("three calls", callsOf(t, runId).length === 3);
    },
  },
  {
    id: "3.2.transport",
    mark: "G",
    title: "an HTTP error is tried again",
    check: async (t) => {
      let calls = 0;
      const id = await t.define(
        "down",
        { status: () => ((calls += 1), 503) },
        { retry: { maxAttempts: 2, initialDelayMs: 20 } },
      );
      const runId = await t.start(id);
      await poll("the second call", () => calls === 2, WAIT_MS);
      const status = await poll(
        "its end",
        async () => {
          const row = String((await t.run(runId))["status"]);
          return /PAUSED|FAILED/.test(row) && row;
        },
        WAIT_MS,
      );
      expectLike(status, isText);
    },
  },
  {
    id: "3.2.compensate",
    mark: "S",
    title: "compensations are stored as compensate steps with what they are for",
    check: async (t) => {
      const id = await t.define("undo", {
        answer: ({ run_id: run }) => ({
          status: "failed",
          steps: [
            done(`${run}:book:0`, "book", 1),
            {
              ...done(`${run}:compensate:book:0`, "compensate:book", null),
              type: "compensate",
              compensation_for: `${run}:book:0`,
            },
          ],
          error: { message: "stop", retryable: false },
        }),
      });
      const runId = await t.start(id);
      await t.reaches(runId, "failed");
      expectLike((await t.steps(runId))[1], { stepType: "STEP_TYPE_COMPENSATE", compensationFor: isText });
    },
  },
  {
    id: "3.3.step-ids",
    mark: "R",
    title: "ids are kept byte for byte: repeated names, escaped colons, parallel branches",
    check: async (t) => {
      const names = (run: string) => [
        `${run}:a:0`,
        `${run}:a:1`,
        `${run}:p\\:x:0:b:0`,
        `${run}:back\\\\slash:0`,
      ];
      const id = await t.define("ids", {
        answer: ({ run_id: run, steps }) =>
          (steps ?? []).length < 5
            ? {
                status: "yielded",
                steps: names(run).map((step, index) => done(step, `n${index}`, index)),
                yield: { step_id: `${run}:nap:0`, type: "sleep", until: at() },
              }
            : { status: "completed", steps: [], result: (steps ?? []).map((step) => step.id) },
      });
      const run = await t.reaches(await t.start(id), "completed");
      const runId = String(run["id"]);
      expectLike((run["outputValue"] as string[]).toSorted(), [...names(runId), `${runId}:nap:0`].toSorted());
    },
  },
  {
    id: "3.3.completed-once",
    mark: "S",
    title: "a completed step keeps its first output, whatever is reported later",
    check: async (t) => {
      let calls = 0;
      const id = await t.define("liar", {
        answer: ({ run_id: run }) => {
          calls += 1;
          const steps = [done(`${run}:a:0`, "a", calls)];
          return calls === 1
            ? { status: "failed", steps, error: { message: "again", retryable: true } }
            : { status: "completed", steps, result: null };
        },
      });
      const runId = await t.start(id);
      await t.reaches(runId, "completed");
      expectLike(await t.steps(runId), [{ outputValue: 1, attempt: isNumber }]);
    },
  },
  {
    id: "5.step-retrying",
    mark: "S",
    title: "a step that failed and will be tried again is retrying, its run waiting",
    check: async (t) => {
      const id = await t.define(
        "retrying",
        async ({ steps }) => {
          await steps.run("one", () => {
            throw new RetryableError("busy");
          });
        },
        { retry: { maxAttempts: 2, initialDelayMs: 60_000 } },
      );
      const runId = await t.start(id);
      await t.reaches(runId, "waiting");
      expectLike(await t.steps(runId), [{ status: "STEP_STATUS_RETRYING" }]);
      await t.rpc("CancelRun", { id: runId });
    },
  },
  {
    id: "5.running",
    mark: "S",
    title: "a run whose call is under way is running",
    check: async (t) => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      const id = await t.define("held", () => gate);
      const runId = await t.start(id);
      await t.reaches(runId, "running");
      open();
      await t.reaches(runId, "completed");
    },
  },
  {
    id: "5.retry-defaults",
    mark: "S",
    title: "a function without retry settings has three attempts",
    check: async (t) => {
      const id = t.name("defaults");
      await t.rpc("RegisterFunction", { id, triggers: [{ event: id }], endpointUrl: "http://127.0.0.1:1/" });
      const runId = await t.start(id);
      expectLike(await t.run(runId), { maxAttempts: 3 });
      await t.rpc("CancelRun", { id: runId });
    },
  },
];
