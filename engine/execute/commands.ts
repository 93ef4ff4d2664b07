import { TERMINAL_RUN_STATUSES, type RunStatus } from "../contract/enums.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { oldestRuns } from "../store/run-list.ts";
import type { RunChange, RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { auditRun } from "./audit.ts";
import { listenForCancel } from "./create-run.ts";
import { endRun } from "./end-run.ts";
import { announceRun } from "./notices.ts";
import { isPlaceholder } from "./placeholder.ts";
import { forgetWaits, holdRun, makeReady, pauseHere, pendingStep } from "./ready.ts";

/** A second resume this soon after the first is taken for the same one, ms. */
export const RESUME_WINDOW_MS = 5_000;

/** @throws ApiError not_found, also for a run of another environment */
export function findRun(core: Core, environmentId: string, id: string): RunRow {
  const run = core.store.runs.get(id);
  if (run === undefined || run.environment_id !== environmentId) {
    throw new ApiError("not_found", `run ${id} not found`);
  }
  return run;
}

/** @throws ApiError not_found, failed_precondition when the run is at its end */
export function cancelRun(core: Core, tx: Tx, environmentId: string, id: string, reason: string): RunRow {
  const run = findRun(core, environmentId, id);
  if (TERMINAL_RUN_STATUSES.includes(run.status)) {
    throw new ApiError("failed_precondition", `run ${id} is already ${run.status}`);
  }
  return endRun(core, tx, run, { status: "cancelled", cause: reason === "" ? "cancelled" : reason });
}

/**
 * Lets a paused or failed run start again from the top, with its completed steps, and with all its attempts.
 * `fromStep` (a step's name or id) forgets that step and everything after it, so they are done again.
 * @throws ApiError not_found, already_exists inside the window, failed_precondition (also for a run that was redacted),
 * invalid_argument for `from_step`
 */
export function resumeRun(
  core: Core,
  tx: Tx,
  environmentId: string,
  id: string,
  fromStep: string | undefined,
): RunRow {
  const run = findRun(core, environmentId, id);
  if (run.resumed_at !== null && tx.nowMs >= run.resumed_at && tx.nowMs - run.resumed_at < RESUME_WINDOW_MS) {
    throw new ApiError(
      "already_exists",
      `run ${id} was resumed a moment ago; the second resume changed nothing`,
    );
  }
  if (run.status !== "paused" && run.status !== "failed") {
    throw new ApiError(
      "failed_precondition",
      `run ${id} is ${run.status}; only a paused or failed run can be resumed`,
    );
  }
  const from = fromStep === undefined || fromStep === "" ? undefined : stepOf(core, run, fromStep);
  requireWhole(core, run, from);
  if (from !== undefined) {
    core.store.steps.deleteFrom(run.id, from.sequence);
    forgetWaits(core, run.id);
  }
  // The end of a failed run took its listeners away; a paused one still has them.
  const fn = core.registry.get(environmentId, run.function_id);
  const event = core.store.events.get(environmentId, run.event_id);
  if (run.status === "failed" && fn !== undefined && event !== undefined) {
    listenForCancel(core, fn, run, { ...event, data: run.input });
  }
  core.store.steps.relabel(run.id, "failed", "retrying", tx.nowMs);
  core.store.steps.relabel(run.id, "timed_out", "retrying", tx.nowMs);
  const change: RunChange = {
    attempt: 1,
    error: null,
    ended_at: null,
    resumed_at: tx.nowMs,
    resume_from_step: fromStep === undefined || fromStep === "" ? null : fromStep,
    step_count: core.store.steps.lastSequence(run.id),
    pause_requested: 0,
    pause_reason: "",
    takeovers: 0,
  };
  // A run that was paused while it slept or waited goes on sleeping or waiting.
  const pending = run.status === "paused" ? pendingStep(core, run.id) : undefined;
  const resumed = pending === undefined ? makeReady(core, tx, run, change) : holdRun(core, tx, run, change);
  announceRun(core, tx, resumed, "resumed");
  return resumed;
}

/** @throws ApiError invalid_argument */
function stepOf(core: Core, run: RunRow, nameOrId: string): StepRow {
  const step = core.store.steps.byRun(run.id).find(({ id, name }) => id === nameOrId || name === nameOrId);
  if (step === undefined) {
    throw new ApiError("invalid_argument", `from_step: run ${run.id} has no step ${nameOrId}`);
  }
  return step;
}

/**
 * The function must not take a placeholder for the data that it stands for.
 * @param from the step that is forgotten, with all after it
 * @throws ApiError failed_precondition
 */
function requireWhole(core: Core, run: RunRow, from: StepRow | undefined): void {
  const instead = "its function would be given the placeholder for its data; send a new event instead";
  if (isPlaceholder(run.input)) {
    throw new ApiError("failed_precondition", `run ${run.id} was redacted: ${instead}`);
  }
  const kept = core.store.steps
    .byRun(run.id)
    .filter(({ status, sequence }) => status === "completed" && sequence < (from?.sequence ?? Infinity));
  const redacted = kept.find(({ output }) => output !== null && isPlaceholder(output));
  if (redacted === undefined) return;
  throw new ApiError(
    "failed_precondition",
    `step ${redacted.name} of run ${run.id} was redacted: ${instead}, or resume from that step`,
  );
}

/**
 * Stops a run at the boundary of its step: at once when no step is being done, else when its answer is there.
 * Asking again changes nothing. @throws ApiError not_found, failed_precondition when the run is at its end
 */
export function requestPause(
  core: Core,
  tx: Tx,
  environmentId: string,
  id: string,
): "pause_requested" | "paused" {
  const run = findRun(core, environmentId, id);
  if (TERMINAL_RUN_STATUSES.includes(run.status)) {
    throw new ApiError("failed_precondition", `run ${id} is already ${run.status}`);
  }
  if (run.status === "paused") return "paused";
  if (run.status !== "running") {
    pauseHere(core, tx, run);
    return "paused";
  }
  if (run.pause_requested === 0) {
    const asked = core.store.runs.update(run, { pause_requested: 1 }, tx.nowMs);
    auditRun(core, tx, asked, "run.pause_requested", { status: run.status });
    announceRun(core, tx, asked, "updated");
  }
  return "pause_requested";
}

/** Removes a run that is at its end, with its steps. @throws ApiError not_found, failed_precondition */
export function deleteRun(core: Core, tx: Tx, environmentId: string, id: string): void {
  const run = findRun(core, environmentId, id);
  if (!TERMINAL_RUN_STATUSES.includes(run.status)) {
    throw new ApiError("failed_precondition", `run ${id} is ${run.status}; cancel it first`);
  }
  removeRun(core, run);
  announceRun(core, tx, run, "deleted");
}

/** Removes a run's row and everything that hangs on it, its audit rows too. */
export function removeRun(core: Core, run: RunRow): void {
  forgetWaits(core, run.id);
  core.store.audit.deleteByRun(run.id);
  core.store.runs.delete(run.id);
}

export interface DeleteRuns {
  environmentId: string;
  functionId?: string | undefined;
  /** One of the ends; absent means all of them. */
  status?: RunStatus | undefined;
  /** Exclusive, on creation time. */
  untilMs?: number | undefined;
}

/** At most this many runs go in one call (section 2.2). */
export const DELETE_RUNS_PER_CALL = 10_000;

/** Removes runs that are at their end, oldest first. Returns how many; ask again until it is 0. @throws ApiError */
export function deleteRuns(core: Core, tx: Tx, wanted: DeleteRuns, limit: number): number {
  if (wanted.status !== undefined && !TERMINAL_RUN_STATUSES.includes(wanted.status)) {
    throw new ApiError(
      "invalid_argument",
      `status: only runs at their end can be deleted, not ${wanted.status}`,
    );
  }
  const found = oldestRuns(core.store.db, {
    ...wanted,
    statuses: wanted.status === undefined ? TERMINAL_RUN_STATUSES : [wanted.status],
    limit,
  });
  for (const run of found) {
    removeRun(core, run);
    announceRun(core, tx, run, "deleted");
  }
  return found.length;
}
