import { poll } from "../../../loopback/testing/poll.ts";
import type { PushRequest } from "../../contract/push.ts";
import { expectLike, expectThat, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import { WAIT_MS, type Body, type Target } from "../target.ts";

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const placeholder = { $redacted: true, sha256: /^[0-9a-f]{64}$/, redactedAt: isTime };

/** A run that has failed after its step "one"; `mend` makes it complete the next time. */
async function failedRun(
  t: Target,
): Promise<{ id: string; function: string; calls: () => number; mend: () => void }> {
  let calls = 0;
  let broken = true;
  const fn = await t.define("fragile", async ({ steps }) => {
    await steps.run("one", () => (calls += 1));
    if (broken) throw new Error("sesame is broken");
    return "mended";
  });
  const id = await t.start(fn);
  await t.reaches(id, "failed");
  return { id, function: fn, calls: () => calls, mend: () => (broken = false) };
}

/** A run whose second step waits until `open`, with its first one completed before in a call of its own. */
async function runAtBoundary(
  t: Target,
): Promise<{ id: string; open: () => void; calls: Map<string, number> }> {
  const calls = new Map<string, number>();
  let isOpen = false;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = () => {
      isOpen = true;
      resolve();
    };
  });
  const count = (name: string) => calls.set(name, (calls.get(name) ?? 0) + 1);
  const fn = await t.define("boundary", async ({ steps }) => {
    await steps.run("one", () => {
      count("one");
      return { n: 1 };
    });
    await steps.sleep("nap", 1);
    await steps.run("two", async () => {
      count("two");
      if (!isOpen) await gate;
    });
    await steps.sleep("nap", 1);
    return steps.run("three", () => count("three") && 3);
  });
  const id = await t.start(fn);
  await poll("the second step", () => calls.has("two"), WAIT_MS);
  return { id, open, calls };
}

/** Section 2.2 (changing): cancel, resume, pause, inject, patch, delete, redact. */
export const commandRows: Row[] = [
  {
    id: "2.2.cancel",
    mark: "S",
    title: "CancelRun ends a sleeping run and answers it",
    check: async (t) => {
      const id = await t.define("sleeper", ({ steps }) => steps.sleep("long", 3_600_000));
      const runId = await t.start(id);
      await t.reaches(runId, "waiting");
      expectLike(await t.rpc("CancelRun", { id: runId, reason: "no need" }), {
        id: runId,
        status: "RUN_STATUS_CANCELLED",
      });
      expectLike(await t.run(runId), { status: "RUN_STATUS_CANCELLED", endedAt: isTime });
    },
  },
  {
    id: "2.2.cancel.during-call",
    mark: "D",
    title: "a run cancelled during a call executes no further step",
    check: async (t) => {
      const { id, open, calls } = await runAtBoundary(t);
      await t.rpc("CancelRun", { id, reason: "stop" });
      open();
      await poll("the call to end", async () => (await t.steps(id)).length >= 1, WAIT_MS);
      expectLike(await t.run(id), { status: "RUN_STATUS_CANCELLED" });
      expectThat("the third step was not executed", !calls.has("three"));
    },
  },
  {
    id: "2.2.cancel.terminal",
    mark: "I",
    title: "CancelRun of a run at its end is refused and changes nothing",
    check: async (t) => {
      const id = await t.define("quick", async () => 1);
      const run = await t.reaches(await t.start(id), "completed");
      await t.rpcFails("CancelRun", { id: run["id"] }, "failed_precondition");
      expectLike(await t.run(String(run["id"])), {
        status: "RUN_STATUS_COMPLETED",
        updatedAt: String(run["updatedAt"]),
      });
    },
  },
  {
    id: "2.2.rest.cancel",
    mark: "G",
    title: "era A: POST /runs/{id}/cancel answers the run",
    check: async (t) => {
      const id = await t.define("sleeper", ({ steps }) => steps.sleep("long", 3_600_000));
      const runId = await t.start(id);
      await t.reaches(runId, "waiting");
      expectLike(await t.send("POST", `/api/v1/runs/${runId}/cancel`, { reason: "x" }), {
        id: runId,
        status: "cancelled",
      });
    },
  },
  {
    id: "2.2.resume",
    mark: "S",
    title: "ResumeRun takes a failed run up again under its id, without repeating a completed step",
    check: async (t) => {
      const failed = await failedRun(t);
      failed.mend();
      expectLike(await t.rpc("ResumeRun", { runId: failed.id }), { id: failed.id });
      expectLike(await t.reaches(failed.id, "completed"), { outputValue: "mended" });
      expectThat("its first step was done once", failed.calls() === 1);
    },
  },
  {
    id: "2.2.resume.twice",
    mark: "G",
    title: "a second resume inside the window is 409 already_exists",
    check: async (t) => {
      const failed = await failedRun(t);
      await t.rpc("ResumeRun", { runId: failed.id });
      const answer = await t.raw("POST", "/ironflow.v1.IronflowService/ResumeRun", {
        body: { runId: failed.id },
      });
      expectLike(answer, { status: 409, json: { code: "already_exists" } });
    },
  },
  {
    id: "2.2.resume.paused",
    mark: "M",
    title: "ResumeRun takes a run that is paused after its last attempt",
    check: async (t) => {
      let up = false;
      const id = await t.define("down", {
        answer: () => (up ? { status: "completed", steps: [], result: 1 } : {}),
      });
      const runId = await t.start(id);
      await t.reaches(runId, "paused");
      up = true;
      await t.rpc("ResumeRun", { runId });
      await t.reaches(runId, "completed");
    },
  },
  {
    id: "2.2.resume.from-step",
    mark: "S",
    title: "ResumeRun from a step does that step and all after it again",
    check: async (t) => {
      const failed = await failedRun(t);
      failed.mend();
      await t.rpc("ResumeRun", { runId: failed.id, fromStep: "one" });
      await t.reaches(failed.id, "completed");
      expectThat("the step was done again", failed.calls() === 2);
    },
  },
  {
    id: "2.2.rest.resume",
    mark: "S",
    title: 'era A: POST /runs/resume takes from_step "" as none and answers the run',
    check: async (t) => {
      const failed = await failedRun(t);
      failed.mend();
      expectLike(await t.send("POST", "/api/v1/runs/resume", { run_id: failed.id, from_step: "" }), {
        id: failed.id,
      });
      await t.reaches(failed.id, "completed");
    },
  },
  {
    id: "2.2.pause",
    mark: "S",
    title: "PauseRun stops a run at its next step boundary, ResumeRun lets it go on",
    check: async (t) => {
      const { id, open, calls } = await runAtBoundary(t);
      expectLike(await t.rpc("PauseRun", { runId: id }), { status: /^(pause_requested|paused)$/ });
      open();
      expectLike(await t.reaches(id, "paused"), { pauseReason: /^(injection|sleep|wait_event)$/ });
      expectThat("the third step was not executed", !calls.has("three"));
      await t.rpc("ResumeRun", { runId: id });
      expectLike(await t.reaches(id, "completed"), { outputValue: 3 });
      expectLike([...calls.values()], [1, 1, 1], "executions of the steps");
    },
  },
  {
    id: "2.2.paused-state",
    mark: "S",
    title: "GetPausedState lists the steps of a paused run",
    check: async (t) => {
      const { id, open } = await runAtBoundary(t);
      await t.rpc("PauseRun", { runId: id });
      open();
      await t.reaches(id, "paused");
      const state = await t.rpc("GetPausedState", { runId: id });
      expectLike(
        (state["steps"] as Body[]).find(({ name }) => name === "one"),
        {
          id: `${id}:one:0`,
          output: base64({ n: 1 }),
          status: "completed",
          completedAt: isTime,
          stepType: isText,
        },
      );
    },
  },
  {
    id: "2.2.inject",
    mark: "S",
    title: "InjectStepOutput replaces a step's output, and the run goes on with it",
    check: async (t) => {
      let isOpen = false;
      const seen: unknown[] = [];
      const fn = await t.define("injected", async ({ steps }) => {
        seen.push(await steps.run("one", () => "old"));
        await steps.sleep("nap", isOpen ? 1 : 700);
        return seen.at(-1);
      });
      const id = await t.start(fn);
      await poll("the first step", async () => (await t.steps(id)).length === 2, WAIT_MS);
      await t.rpc("PauseRun", { runId: id });
      isOpen = true;
      await t.reaches(id, "paused");
      const answer = await t.rpc("InjectStepOutput", {
        runId: id,
        stepId: `${id}:one:0`,
        newOutput: base64("new"),
        reason: "a test",
      });
      expectLike(answer, { stepId: `${id}:one:0`, previousOutput: base64("old") });
      await t.rpc("ResumeRun", { runId: id });
      expectLike(await t.reaches(id, "completed"), { outputValue: "new" });
      const [step] = await t.steps(id);
      expectLike(step, { outputValue: "new", originalOutputValue: "old" });
    },
  },
  {
    id: "2.2.patch",
    mark: "S",
    title: "PatchStep replaces a step's output and keeps the original beside it",
    check: async (t) => {
      const failed = await failedRun(t);
      const stepId = `${failed.id}:one:0`;
      expectLike(await t.rpc("PatchStep", { stepId, output: { n: 9 }, reason: "a test" }), {
        output: { n: 9 },
        originalOutputValue: 1,
        patchedAt: isTime,
      });
      failed.mend();
      await t.rpc("ResumeRun", { runId: failed.id });
      await t.reaches(failed.id, "completed");
      const last = JSON.parse(
        t.functions.received.filter(({ body }) => body.includes(failed.id)).at(-1)?.body ?? "{}",
      ) as PushRequest;
      expectLike(last.steps?.find(({ id }) => id === stepId)?.output, { n: 9 }, "what the function got");
    },
  },
  {
    id: "2.2.rest.patch",
    mark: "S",
    title: "era A: POST /steps/patch answers the step",
    check: async (t) => {
      const failed = await failedRun(t);
      const body = { step_id: `${failed.id}:one:0`, output: { n: 9 }, reason: "a test" };
      expectLike(await t.send("POST", "/api/v1/steps/patch", body), {
        run_id: failed.id,
        output: { n: 9 },
        original_output: 1,
        environment_id: /^env_/,
        max_attempts: 3,
      });
    },
  },
  {
    id: "2.2.delete",
    mark: "G",
    title: "DeleteRun takes terminal runs only, and takes the steps with it",
    check: async (t) => {
      const sleeper = await t.define("sleeper", ({ steps }) => steps.sleep("long", 3_600_000));
      const runId = await t.start(sleeper);
      await t.reaches(runId, "waiting");
      await t.rpcFails("DeleteRun", { id: runId }, "failed_precondition");
      await t.rpc("CancelRun", { id: runId });
      expectLike(await t.rpc("DeleteRun", { id: runId }), {});
      await t.rpcFails("GetRun", { id: runId }, "not_found");
      await t.rpcFails("GetRunSteps", { runId }, "not_found");
      await t.rpcFails("DeleteRun", { id: runId }, "not_found");
    },
  },
  {
    id: "2.2.delete-many",
    mark: "G",
    title: "DeleteRuns deletes what its filter names and counts it as int64 text",
    check: async (t) => {
      const id = await t.define("many", async () => 1);
      const runs = [await t.start(id), await t.start(id)];
      for (const run of runs) await t.reaches(run, "completed");
      const filter = { functionId: id, status: "RUN_STATUS_COMPLETED" };
      expectLike(await t.rpc("DeleteRuns", filter), { deleted: "2" });
      expectLike(await t.rpc("DeleteRuns", filter), {
        deleted: (value) => value === undefined || value === "0",
      });
      await t.rpcFails("DeleteRuns", { functionId: id, status: "RUN_STATUS_WAITING" }, "invalid_argument");
    },
  },
  {
    id: "2.2.redact-run",
    mark: "G",
    title: "RedactRun puts the placeholder over input, output, error and the steps' errors",
    check: async (t) => {
      const fn = await t.define("private", async ({ steps }) => {
        await steps.run("one", () => {
          throw new Error("sesame in a step");
        });
      });
      const id = await t.start(fn, { secret: "sesame" });
      await t.reaches(id, "failed");
      expectLike(await t.rpc("RedactRun", { runId: id }), {});
      expectLike(await t.run(id), { input: placeholder });
      for (const path of [`/api/v1/runs/${id}`, `/api/v1/runs/${id}/steps`, `/api/v1/runs/${id}/attempts`]) {
        const { text } = await t.raw("GET", path);
        expectThat(`nothing is left in ${path}`, !text.includes("sesame"));
      }
    },
  },
  {
    id: "2.2.redact-run.resume",
    mark: "U",
    title: "a redacted run is not resumed: its function would be given the placeholder for its data",
    check: async (t) => {
      const failed = await failedRun(t);
      await t.rpc("RedactRun", { runId: failed.id });
      await t.rpcFails("ResumeRun", { runId: failed.id }, "failed_precondition");
      expectLike(await t.run(failed.id), { status: "RUN_STATUS_FAILED", input: placeholder });
    },
  },
  {
    id: "2.2.redact-run.terminal",
    mark: "G",
    title: "RedactRun takes terminal runs only",
    check: async (t) => {
      const fn = await t.define("sleeper", ({ steps }) => steps.sleep("long", 3_600_000));
      const id = await t.start(fn);
      await t.reaches(id, "waiting");
      await t.rpcFails("RedactRun", { runId: id }, "failed_precondition");
      await t.rpc("CancelRun", { id });
    },
  },
  {
    id: "2.2.redact-step",
    mark: "G",
    title: "RedactStep covers the step's output and the run's error",
    check: async (t) => {
      const failed = await failedRun(t);
      const fn = await t.define("private", ({ steps }) => steps.run("one", () => ({ secret: "sesame" })));
      const run = await t.reaches(await t.start(fn), "completed");
      expectLike(await t.rpc("RedactStep", { stepId: `${String(run["id"])}:one:0` }), {});
      expectLike((await t.steps(String(run["id"])))[0], { output: placeholder });
      await t.rpc("RedactStep", { stepId: `${failed.id}:one:0` });
      const { text } = await t.raw("GET", `/api/v1/runs/${failed.id}`);
      expectThat("the parent run's error is covered", !text.includes("sesame"));
    },
  },
  {
    id: "2.2.redact.missing",
    mark: "G",
    title: "RedactRun and RedactStep of nobody are not_found",
    check: async (t) => {
      await t.rpcFails("RedactRun", { runId: "run_none" }, "not_found");
      await t.rpcFails("RedactStep", { stepId: "run_none:x:0" }, "not_found");
    },
  },
];
