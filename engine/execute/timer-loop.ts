import type { Core } from "../core.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { TimerRow } from "../store/timers.ts";
import type { Tx } from "../store/writer.ts";
import { toJsonText } from "../json/json-text.ts";
import { sweepKv } from "../kv/entries.ts";
import { childError } from "./children.ts";
import { fireDebounces } from "./debounce.ts";
import { endRun } from "./end-run.ts";
import { expireLease } from "./leases.ts";
import { announceStep } from "./notices.ts";
import { forgetWaits, goOn, makeReady } from "./ready.ts";
import { fireSchedules } from "./schedules.ts";

/** Timers live in the store; memory only knows when to look next. */
export interface TimerLoop {
  add(tx: Tx, timer: Omit<TimerRow, "id">): void;
  /** Something else than a timer of a run will be due: a debounce or a schedule. */
  wakeAt(tx: Tx, dueAtMs: number): void;
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
        fireDebounces(core(), tx);
        fireSchedules(core(), tx);
        sweepKv(core(), tx);
        const { timers, debounces, schedules, kv } = core().store;
        const next = [timers.next(), debounces.next(), schedules.next(), kv.nextDue()].filter(
          (at) => at !== undefined,
        );
        return next.length === 0 ? undefined : Math.min(...next);
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
    wakeAt: (tx, dueAtMs) => {
      tx.afterCommit(() => arm(dueAtMs));
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
  goOn(core, tx, run);
}

function timeOutStep(core: Core, tx: Tx, run: RunRow, step: StepRow, error: string): void {
  core.store.steps.settle(
    step.id,
    { status: "timed_out", output: null, error, attempt: run.attempt },
    tx.nowMs,
  );
  announceStep(core, tx, run, { ...step, status: "timed_out" }, "failed");
}
