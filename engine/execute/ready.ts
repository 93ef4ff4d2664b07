import type { Core } from "../core.ts";
import type { RunChange, RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import { announceRun } from "./notices.ts";

/** Lets a run that waited or was held go on: now when there is room, else in its turn. */
export function makeReady(core: Core, tx: Tx, run: RunRow, change: RunChange = {}): RunRow {
  const admission = core.dispatcher.admit(tx, run.environment_id, run.function_id);
  const base: RunChange = { ...change, ended_at: null };
  if (admission.kind === "claimed") {
    const claimed = claimRow(core, tx, run, base);
    core.dispatcher.launch(tx, claimed, admission.permit);
    return claimed;
  }
  const status = admission.kind === "deferred" ? "waiting" : "waiting_for_capacity";
  const queued = core.store.runs.update(run, { ...base, status, ready_at: tx.nowMs }, tx.nowMs);
  announceRun(core, tx, queued, "updated");
  return queued;
}

/** Marks a run as being executed. */
export function claimRow(core: Core, tx: Tx, run: RunRow, change: RunChange = {}): RunRow {
  const claimed = core.store.runs.update(
    run,
    {
      ...change,
      status: "running",
      ready_at: null,
      execution_seq: run.execution_seq + 1,
      started_at: run.started_at ?? tx.nowMs,
    },
    tx.nowMs,
  );
  announceRun(core, tx, claimed, "updated");
  return claimed;
}

/** Puts a run to wait for a timer, an event or a child. */
export function holdRun(core: Core, tx: Tx, run: RunRow, change: RunChange = {}): RunRow {
  const held = core.store.runs.update(run, { ...change, status: "waiting", ready_at: null }, tx.nowMs);
  announceRun(core, tx, held, "updated");
  return held;
}

/** Forgets what would wake the run; listeners that would cancel it stay. */
export function forgetWaits(core: Core, runId: string): void {
  core.store.timers.deleteByRun(runId);
  core.store.listeners.deleteWaits(runId);
}
