import type { RunError } from "../contract/runs.ts";
import type { Core } from "../core.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { TimerRow } from "../store/timers.ts";
import type { Tx } from "../store/writer.ts";
import { errorText, maskOf } from "../secrets/masker.ts";
import { auditRun } from "./audit.ts";
import { childError } from "./children.ts";
import { endWait } from "./deliver.ts";
import type { DueSource } from "./due-source.ts";
import { endRun } from "./end-run.ts";
import { expireLease } from "./leases.ts";
import { announceStep } from "./notices.ts";
import { forgetWaits, goOn, makeReady } from "./ready.ts";

/** What a run sleeps, waits or is to be tried again for. */
export const runTimerSource: DueSource<TimerRow> = {
  name: "timer",
  earliest: (store, limit) => store.timers.earliest(limit),
  reread: (store, timer) => store.timers.get(timer.id),
  dueAt: (timer) => timer.due_at,
  key: (timer) => String(timer.id),
  fire,
  record: (core, tx, timer, reason) => {
    const run = core.store.runs.get(timer.run_id);
    if (run !== undefined)
      auditRun(
        core,
        tx,
        run,
        "run.timer_failed",
        { kind: timer.kind, reason: maskOf(core, tx, run)(reason) },
        timer.step_id,
      );
  },
};

/** A timer whose run went on without it does nothing. */
function fire(core: Core, tx: Tx, timer: TimerRow): void {
  core.store.timers.delete(timer.id);
  const run = core.store.runs.get(timer.run_id);
  if (run === undefined) return;
  if (timer.kind === "lease") {
    expireLease(core, tx, run);
    return;
  }
  if (timer.kind === "retry") {
    if (run.status === "waiting" && run.ready_at === null) makeReady(core, tx, run);
    return;
  }
  if ((run.status !== "waiting" || run.ready_at !== null) && run.status !== "paused") return;
  const step = timer.step_id === null ? undefined : core.store.steps.get(timer.step_id);
  if (step === undefined || (step.status !== "sleeping" && step.status !== "waiting")) return;
  switch (timer.kind) {
    case "sleep":
      core.store.steps.settle(
        step.id,
        { status: "completed", output: null, error: null, attempt: run.attempt },
        tx.nowMs,
      );
      announceStep(core, tx, run, { ...step, status: "completed" }, "completed");
      goOn(core, tx, run);
      return;
    case "wait_timeout":
      timeOutWait(core, tx, run, step);
      return;
    case "invoke_timeout":
      timeOutInvoke(core, tx, run, step);
  }
}

/**
 * The handler never sees it: the run fails (section 3.3). An event that was stored before and has not reached the run yet,
 * because it reaches many or the engine was down, came in time.
 */
function timeOutWait(core: Core, tx: Tx, run: RunRow, step: StepRow): void {
  const eventId = core.store.routingSlices.eventFor(run.id, step.id);
  const event = eventId === undefined ? undefined : core.store.events.get(run.environment_id, eventId);
  if (event !== undefined) return endWait(core, tx, event, run, step);
  const error = {
    message: `no event ${step.wait_event_name ?? ""} came in time for step ${step.name}`,
    code: "WAIT_TIMEOUT",
    retryable: false,
  };
  timeOutStep(core, tx, run, step, error);
  endRun(core, tx, run, { status: "failed", error });
}

/** The handler gets an invoke error; the child goes on. */
function timeOutInvoke(core: Core, tx: Tx, run: RunRow, step: StepRow): void {
  const child = step.child_run_id === null ? undefined : core.store.runs.get(step.child_run_id);
  const functionId = child?.function_id ?? step.name;
  timeOutStep(
    core,
    tx,
    run,
    step,
    childError({ id: step.child_run_id, function_id: functionId }, "timed out"),
  );
  forgetWaits(core, run.id);
  goOn(core, tx, run);
}

function timeOutStep(core: Core, tx: Tx, run: RunRow, step: StepRow, error: RunError): void {
  core.store.steps.settle(
    step.id,
    { status: "timed_out", output: null, error: errorText(core, tx, run, error), attempt: run.attempt },
    tx.nowMs,
  );
  announceStep(core, tx, run, { ...step, status: "timed_out" }, "failed");
}
