import type { PushRequest } from "../../contract/push.ts";
import { expectLike, expectThat, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import type { Target } from "../target.ts";

/** Calls of a run, oldest first. */
function callsOf(t: Target, runId: string): PushRequest[] {
  return t.functions.received
    .filter(({ body }) => body.includes(`"run_id":"${runId}"`))
    .map(({ body }) => JSON.parse(body) as PushRequest);
}

/** Sections 3.2 and 3.3: how a run waits for time, events and other functions. */
export const yieldRows: Row[] = [
  {
    id: "3.2.yield.sleep",
    mark: "R",
    title: "a sleep suspends the run as waiting, and its step is sleeping until its time",
    check: async (t) => {
      const id = await t.define("sleeps", async ({ steps }) => {
        await steps.sleep("nap", 1_200);
        return "rested";
      });
      const runId = await t.start(id);
      await t.reaches(runId, "waiting");
      expectLike(await t.steps(runId), [
        { stepId: "nap", stepType: "STEP_TYPE_SLEEP", status: "STEP_STATUS_SLEEPING", sleepUntil: isTime },
      ]);
      expectLike(await t.reaches(runId, "completed"), { outputValue: "rested" });
      expectLike((await t.steps(runId))[0], { status: "STEP_STATUS_COMPLETED" });
    },
  },
  {
    id: "3.2.yield.wait",
    mark: "R",
    title: "a wait goes on with the whole event whose path matches",
    check: async (t) => {
      const paid = t.name("paid");
      const id = await t.define("waits", ({ steps }) =>
        steps.waitForEvent("payment", { event: paid, match: "data.order" }),
      );
      const runId = await t.start(id, { order: "7" });
      await t.reaches(runId, "waiting");
      expectLike(await t.steps(runId), [
        {
          stepId: "payment",
          stepType: "STEP_TYPE_WAIT_FOR_EVENT",
          status: "STEP_STATUS_WAITING",
          waitEventName: paid,
        },
      ]);
      await t.emit(paid, { order: "8" });
      const { eventId } = await t.emit(paid, { order: "7", amount: 3 });
      expectLike(await t.reaches(runId, "completed"), {
        output: { id: eventId, name: paid, data: { order: "7", amount: 3 }, timestamp: isTime },
      });
    },
  },
  {
    id: "3.2.yield.wait.match-value",
    mark: "G",
    title: "match_value is what the awaited event must have at the path of match",
    check: async (t) => {
      const paid = t.name("paid");
      const id = await t.define("waits", {
        answer: ({ run_id: run, steps }) =>
          (steps ?? []).length > 0
            ? { status: "completed", steps: [], result: (steps ?? [])[0]?.output }
            : {
                status: "yielded",
                steps: [],
                yield: {
                  step_id: `${run}:paid:0`,
                  type: "wait_for_event",
                  event_filter: { event: paid, match: "data.order", match_value: "9" },
                },
              },
      });
      const runId = await t.start(id, { order: "7" });
      await t.reaches(runId, "waiting");
      const timeout = (await t.steps(runId))[0]?.["waitTimeout"];
      const days = (Date.parse(String(timeout)) - Date.now()) / 86_400_000;
      expectThat(`a wait without a timeout has 7 days, not ${days}`, days > 6.9 && days < 7.1);
      for (const order of ["7", "9"]) await t.emit(paid, { order });
      expectLike(await t.reaches(runId, "completed"), { output: { name: paid, data: { order: "9" } } });
    },
  },
  {
    id: "3.2.yield.wait.expression",
    mark: "S",
    title: "a wait's match may be an expression over the incoming event",
    check: async (t) => {
      const approved = t.name("approved");
      const id = await t.define("approval", async ({ steps }) => {
        await steps.waitForEvent("approval", { event: approved, match: 'data.by == "ann"' });
        return "yes";
      });
      const runId = await t.start(id);
      await t.reaches(runId, "waiting");
      await t.emit(approved, { by: "bob" });
      expectLike(await t.run(runId), { status: "RUN_STATUS_WAITING" });
      await t.emit(approved, { by: "ann" });
      await t.reaches(runId, "completed");
    },
  },
  {
    id: "3.3.wait-timeout",
    mark: "K",
    title: "a wait that nothing answers in time: step timed_out, run failed, the handler is not called",
    check: async (t) => {
      const id = await t.define("late", ({ steps }) =>
        steps.waitForEvent("w", { event: t.name("never"), timeout: "1s" }),
      );
      const runId = await t.start(id);
      await t.reaches(runId, "failed");
      expectLike(await t.steps(runId), [{ status: "STEP_STATUS_TIMED_OUT" }]);
      expectThat("one call", callsOf(t, runId).length === 1);
    },
  },
  {
    id: "3.2.yield.invoke",
    mark: "R",
    title: "an invoked function's output is the step's output",
    check: async (t) => {
      const child = await t.define("child", async ({ event }) => ({ got: event.data }));
      const id = await t.define("parent", ({ steps }) => steps.invoke(child, { x: 1 }));
      const runId = await t.start(id);
      expectLike(await t.reaches(runId, "completed"), { output: { got: { x: 1 } } });
      expectLike(await t.steps(runId), [
        { stepType: "STEP_TYPE_INVOKE_FUNCTION", status: "STEP_STATUS_COMPLETED" },
      ]);
    },
  },
  {
    id: "3.3.invoke-failed",
    mark: "R",
    title:
      "a failed child arrives as a failed row whose error is JSON with function_id, child_run_id and cause",
    check: async (t) => {
      const child = await t.define("bad-child", async () => {
        throw new Error("no stock");
      });
      const id = await t.define("bad-parent", ({ steps }) => steps.invoke(child, {}));
      const runId = await t.start(id);
      await t.reaches(runId, "failed");
      const row = callsOf(t, runId).at(-1)?.steps?.[0];
      expectLike(row, { status: "failed", id: `${runId}:${child}:0` });
      expectLike(JSON.parse(row?.error ?? "{}"), {
        function_id: child,
        child_run_id: /^run_/,
        cause: (v) => v !== undefined,
      });
    },
  },
  {
    id: "3.2.yield.invoke-async",
    mark: "S",
    title: "an asynchronous invoke goes on at once with the child's run id",
    check: async (t) => {
      const child = await t.define("child", async () => "later");
      const id = await t.define("async-parent", {
        answer: ({ run_id: run, steps }) =>
          steps === null || steps.length === 0
            ? {
                status: "yielded",
                steps: [],
                yield: { step_id: `${run}:${child}:0`, type: "invoke_function_async", function_id: child },
              }
            : { status: "completed", steps: [], result: steps[0]?.output },
      });
      const run = await t.reaches(await t.start(id), "completed");
      expectLike(run, { output: { run_id: /^run_/ } });
      await t.reaches((run["output"] as { run_id: string }).run_id, "completed");
    },
  },
  {
    id: "3.2.invoke-timeout",
    mark: "S",
    title: "a child that is too slow arrives as timed_out",
    check: async (t) => {
      const child = await t.define("slow-child", ({ steps }) => steps.sleep("long", 3_600_000));
      const id = await t.define("impatient", ({ steps }) => steps.invoke(child, {}, 300));
      const runId = await t.start(id);
      await t.reaches(runId, "failed");
      expectLike(callsOf(t, runId).at(-1)?.steps?.[0], { status: "timed_out" });
      await t.rpc("CancelRun", { id: (await t.runOf(child))["id"] });
    },
  },
];
