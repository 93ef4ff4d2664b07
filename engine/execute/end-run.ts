import type { RunError } from "../contract/runs.ts";
import type { Core } from "../core.ts";
import { errorText } from "../secrets/masker.ts";
import type { RunChange, RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import { settleParent } from "./children.ts";
import { announceRun } from "./notices.ts";
import { forgetWaits } from "./ready.ts";

export type RunEnd =
  | { status: "completed"; output: string }
  | { status: "failed"; error: RunError }
  | { status: "cancelled"; cause: string };

/** Ends a run: nothing of it waits any more, and a parent that waits for it goes on. */
export function endRun(core: Core, tx: Tx, run: RunRow, end: RunEnd, change: RunChange = {}): RunRow {
  core.dispatcher.releasePull(tx, run.id);
  const ended = core.store.runs.update(
    run,
    {
      ...change,
      status: end.status,
      ended_at: tx.nowMs,
      ready_at: null,
      pause_requested: 0,
      pause_reason: "",
      output: end.status === "completed" ? end.output : run.output,
      error:
        end.status === "completed"
          ? null
          : end.status === "failed"
            ? errorText(core, tx, run, end.error)
            : run.error,
      cancellation_cause: end.status === "cancelled" ? end.cause : run.cancellation_cause,
    },
    tx.nowMs,
  );
  forgetWaits(core, run.id);
  core.store.listeners.deleteByRun(run.id);
  if (end.status === "failed") core.store.steps.relabel(run.id, "retrying", "failed", tx.nowMs);
  if (end.status === "cancelled") {
    for (const status of ["sleeping", "waiting", "retrying"] as const) {
      core.store.steps.relabel(run.id, status, "dead", tx.nowMs);
    }
  }
  announceRun(core, tx, ended, end.status);
  settleParent(core, tx, ended);
  return ended;
}

/** Holds a run whose retries are used up until a person resumes it. */
export function pauseRun(core: Core, tx: Tx, run: RunRow, error: RunError, change: RunChange = {}): RunRow {
  core.dispatcher.releasePull(tx, run.id);
  const paused = core.store.runs.update(
    run,
    {
      ...change,
      status: "paused",
      ready_at: null,
      pause_requested: 0,
      pause_reason: "",
      error: errorText(core, tx, run, error),
    },
    tx.nowMs,
  );
  core.store.steps.relabel(run.id, "retrying", "failed", tx.nowMs);
  announceRun(core, tx, paused, "paused");
  return paused;
}
