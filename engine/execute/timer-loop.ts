import type { Core } from "../core.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { TimerRow } from "../store/timers.ts";
import type { Tx } from "../store/writer.ts";
import { toJsonText } from "../json/json-text.ts";
import { childError } from "./children.ts";
import { endRun } from "./end-run.ts";
import { announceStep } from "./notices.ts";
import { forgetWaits, makeReady } from "./ready.ts";

/** Timers live in the store; memory only knows when to look next. */
export interface TimerLoop {
  add(tx: Tx, timer: Omit<TimerRow, "id">): void;
  start(): void;
  stop(): void;
}

/** A wall clock may jump: the store is asked at least this often, ms. */
const lookAtLeastEveryMs = 30_000;

/** Timers fired in one change. */
const batch = 200;

/** After an error of the store, ms. */
const retryMs = 1_000;

export function createTimerLoop(core: () => Core): TimerLoop {
  let cancel: (() => void) | undefined;
  let armedForMs = Number.POSITIVE_INFINITY;
  let stopped = true;

  function arm(dueAtMs: number): void {
    if (stopped || dueAtMs >= armedForMs) return;
    cancel?.();
    armedForMs = dueAtMs;
    cancel = core().clock.after(Math.min(dueAtMs - core().clock.nowMs(), lookAtLeastEveryMs), look);
  }

  function look(): void {
    const { writer, log, clock } = core();
    armedForMs = Number.POSITIVE_INFINITY;
    writer
      .write((tx) => {
        const due = core().store.timers.due(tx.nowMs, batch);
        for (const timer of due) fire(core(), tx, timer);
        return core().store.timers.next();
      })
      .then((next) => arm(next ?? clock.nowMs() + lookAtLeastEveryMs))
      .catch((error: unknown) => {
        log.error({ err: error }, "timers could not be fired, trying again");
        arm(clock.nowMs() + retryMs);
      });
  }

  return {
    add: (tx, timer) => {
      core().store.timers.add(timer);
      tx.afterCommit(() => arm(timer.due_at));
    },
    start: () => {
      stopped = false;
      look();
    },
    stop: () => {
      stopped = true;
      cancel?.();
    },
  };
}

/** What a timer's time brings. A timer whose run went on without it does nothing. */
function fire(core: Core, tx: Tx, timer: TimerRow): void {
  core.store.timers.delete(timer.id);
  const run = core.store.runs.get(timer.run_id);
  if (run?.status !== "waiting" || run.ready_at !== null) return;
  if (timer.kind === "retry") {
    makeReady(core, tx, run);
    return;
  }
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
      makeReady(core, tx, run);
      return;
    case "wait_timeout":
      timeOutWait(core, tx, run, step);
      return;
    case "invoke_timeout":
      timeOutInvoke(core, tx, run, step);
  }
}

/** The handler never sees it: the run fails (section 3.3). */
function timeOutWait(core: Core, tx: Tx, run: RunRow, step: StepRow): void {
  const error = {
    message: `no event ${step.wait_event_name ?? ""} came in time for step ${step.name}`,
    code: "WAIT_TIMEOUT",
    retryable: false,
  };
  timeOutStep(core, tx, run, step, toJsonText(error).text);
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
  makeReady(core, tx, run);
}

function timeOutStep(core: Core, tx: Tx, run: RunRow, step: StepRow, error: string): void {
  core.store.steps.settle(
    step.id,
    { status: "timed_out", output: null, error, attempt: run.attempt },
    tx.nowMs,
  );
  announceStep(core, tx, run, { ...step, status: "timed_out" }, "failed");
}
