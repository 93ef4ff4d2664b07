import type { Core } from "../core.ts";
import type { RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import { pauseRun } from "./end-run.ts";
import { failAttempt } from "./outcome.ts";
import { makeReady } from "./ready.ts";

/** How long a pull worker may be silent about a job before another one gets it, ms. Heartbeats come every 30 s. */
export const DEFAULT_LEASE_MS = 90_000;

/** A run that loses this many workers without making progress is held: it may be what ends them. */
const maxTakeovers = 10;

/** Gives a pulled run's worker more time. */
export function renewLease(core: Core, tx: Tx, run: RunRow): RunRow {
  return core.store.runs.update(run, { lease_expires_at: tx.nowMs + core.leaseMs }, tx.nowMs);
}

/** Looks again at a pulled run: more time was given, its worker is lost, or it has used up the function's time. */
export function expireLease(core: Core, tx: Tx, run: RunRow): void {
  if (run.status !== "running" || run.execution_mode !== "pull" || run.lease_expires_at === null) return;
  const timeoutAt = run.timeout_at ?? Number.POSITIVE_INFINITY;
  if (tx.nowMs >= timeoutAt) {
    const error = { message: "the function's time is over", code: "TIMEOUT", retryable: true };
    failAttempt(core, tx, run, error, "transport");
    return;
  }
  const dueAt = Math.min(run.lease_expires_at, timeoutAt);
  if (dueAt > tx.nowMs) {
    armLease(core, tx, run.id, dueAt);
    return;
  }
  const takeovers = run.takeovers + 1;
  if (takeovers >= maxTakeovers) {
    const message = `${takeovers} workers were lost while they executed this run`;
    pauseRun(core, tx, run, { message, code: "WORKER_LOST", retryable: true }, { takeovers });
    return;
  }
  makeReady(core, tx, run, { takeovers });
}

export function armLease(core: Core, tx: Tx, runId: string, dueAt: number): void {
  core.timers.add(tx, { due_at: dueAt, kind: "lease", run_id: runId, step_id: null });
}
