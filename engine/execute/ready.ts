import type { Core } from "../core.ts";
import type { RunChange, RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { announceRun } from "./notices.ts";

/**
 * Lets a run that waited or was held go on: now when there is room, else in its turn. A run that a person asked to pause
 * stops here, at the boundary of its step.
 */
export function makeReady(core: Core, tx: Tx, run: RunRow, change: RunChange = {}): RunRow {
  core.dispatcher.releasePull(tx, run.id);
  if ((change.pause_requested ?? run.pause_requested) === 1) return pauseHere(core, tx, run, change);
  const admission = core.dispatcher.admit(tx, run.environment_id, run.function_id, run.lane_key);
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

/** Marks a run as being executed by its endpoint. */
export function claimRow(core: Core, tx: Tx, run: RunRow, change: RunChange = {}): RunRow {
  const claimed = core.store.runs.update(
    run,
    {
      ...change,
      status: "running",
      ready_at: null,
      execution_mode: "push",
      execution_seq: run.execution_seq + 1,
      worker_id: null,
      lease_token: null,
      lease_expires_at: null,
      claimed_at: tx.nowMs,
      timeout_at: null,
      started_at: run.started_at ?? tx.nowMs,
    },
    tx.nowMs,
  );
  announceRun(core, tx, claimed, "updated");
  return claimed;
}

/** Puts a run to wait for a timer, an event or a child. */
export function holdRun(core: Core, tx: Tx, run: RunRow, change: RunChange = {}): RunRow {
  core.dispatcher.releasePull(tx, run.id);
  if (run.pause_requested === 1) return pauseHere(core, tx, run, change);
  const held = core.store.runs.update(run, { ...change, status: "waiting", ready_at: null }, tx.nowMs);
  announceRun(core, tx, held, "updated");
  return held;
}

/** Forgets what would wake the run; listeners that would cancel it stay. */
export function forgetWaits(core: Core, runId: string): void {
  core.store.timers.deleteByRun(runId);
  core.store.listeners.deleteWaits(runId);
}

/** What a run waited for has come: it goes on, unless a person holds it. */
export function goOn(core: Core, tx: Tx, run: RunRow): void {
  if (run.status === "waiting") makeReady(core, tx, run);
  else core.store.runs.update(run, { pause_reason: "injection" }, tx.nowMs);
}

/** Holds a run between two steps until it is resumed. What it waits for goes on being waited for. */
export function pauseHere(core: Core, tx: Tx, run: RunRow, change: RunChange = {}): RunRow {
  const pending = pendingStep(core, run.id);
  const reason = pending === undefined ? "injection" : pending.type === "sleep" ? "sleep" : "wait_event";
  const paused = core.store.runs.update(
    run,
    { ...change, status: "paused", ready_at: null, pause_requested: 0, pause_reason: reason },
    tx.nowMs,
  );
  announceRun(core, tx, paused, "paused");
  return paused;
}

/** The step a run sleeps in or waits with. */
export function pendingStep(core: Core, runId: string): StepRow | undefined {
  return core.store.steps.byRun(runId).find(({ status }) => status === "sleeping" || status === "waiting");
}
