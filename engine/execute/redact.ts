import { TERMINAL_RUN_STATUSES } from "../contract/enums.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { auditOther, auditRun } from "./audit.ts";
import { findRun } from "./commands.ts";
import { announceRun } from "./notices.ts";
import { placeholderFor } from "./placeholder.ts";

/**
 * Replaces an event's data and metadata, and what its dead letters and deliveries repeat of them; snapshots of its stream
 * that were made of it are dropped. Runs that have a copy are not reached: each is redacted by itself. Refused while a run
 * or debounce still works with it.
 * @throws ApiError not_found, failed_precondition
 */
export function redactEvent(core: Core, tx: Tx, environmentId: string, eventId: string): void {
  const event = core.store.events.get(environmentId, eventId);
  if (event === undefined) throw new ApiError("not_found", `event ${eventId} not found`);
  if (core.store.debounces.byEvent(eventId).length > 0) {
    throw new ApiError("failed_precondition", `a debounce still holds event ${eventId}`);
  }
  const deliveries = core.store.outbox.byEvent(environmentId, eventId);
  if (deliveries.some((row) => row.dead_at === null) || core.store.routingSlices.has(eventId)) {
    throw new ApiError("failed_precondition", `event ${eventId} is still being delivered`);
  }
  for (const run of core.store.runs.byEvent(eventId)) requireEnded(run);
  erase(core, tx, () => {
    redactEventRow(core, tx, event);
    core.store.deadLetters.redactByEvent(eventId, (text) => placeholderFor(text, tx.nowMs));
    core.store.outbox.redactByEvent(environmentId, eventId, (text) => placeholderFor(text, tx.nowMs));
    if (event.entity_id !== null) {
      core.store.snapshots.deleteFrom(environmentId, event.entity_id, event.entity_version ?? 0);
    }
  });
  auditOther(core, tx, { environmentId, eventType: "event.redacted", payload: { event_id: eventId } });
}

function redactEventRow(
  core: Core,
  tx: Tx,
  event: { id: string; data: string; metadata: string | null },
): void {
  core.store.events.redact(
    event.id,
    placeholderFor(event.data, tx.nowMs),
    event.metadata === null ? null : placeholderFor(event.metadata, tx.nowMs),
  );
}

/**
 * Replaces everything a run read, made or said: input, output, error, its steps, attempt errors and audit payloads, the
 * step of a parent that holds its output, and the event when it was made for this run alone (invoke, cron).
 * @throws ApiError not_found, failed_precondition when the run, or the parent that has its output, is not at its end
 */
export function redactRun(core: Core, tx: Tx, environmentId: string, id: string): void {
  const run = findRun(core, environmentId, id);
  requireEnded(run);
  const parents = core.store.steps.byChild(run.id);
  for (const step of parents) requireEnded(core.store.runs.get(step.run_id));
  const redacted = erase(core, tx, () => redactRunRows(core, tx, run, parents));
  auditRun(core, tx, redacted, "run.redacted", {});
  announceRun(core, tx, redacted, "updated");
}

function redactRunRows(core: Core, tx: Tx, run: RunRow, parents: readonly StepRow[]): RunRow {
  for (const step of core.store.steps.byRun(run.id)) redactStepRow(core, tx, step);
  for (const step of parents) redactStepRow(core, tx, step);
  const event = core.store.events.get(run.environment_id, run.event_id);
  if (event?.source === "invoke" || event?.source === "cron") redactEventRow(core, tx, event);
  redactRunErrors(core, tx, run);
  core.store.deadLetters.redactByRun(run.id, (text) => placeholderFor(text, tx.nowMs));
  return core.store.runs.update(
    run,
    {
      input: placeholderFor(run.input, tx.nowMs),
      output: run.output === null ? null : placeholderFor(run.output, tx.nowMs),
      error: run.error === null ? null : placeholderFor(run.error, tx.nowMs),
    },
    tx.nowMs,
  );
}

/**
 * Replaces one step's payloads, and the errors of its run and attempts that may repeat them.
 * @throws ApiError not_found, failed_precondition when the run is not at its end
 */
export function redactStep(core: Core, tx: Tx, environmentId: string, stepId: string): void {
  const step = core.store.steps.get(stepId);
  const run = step === undefined ? undefined : core.store.runs.get(step.run_id);
  if (step === undefined || run?.environment_id !== environmentId) {
    throw new ApiError("not_found", `step ${stepId} not found`);
  }
  requireEnded(run);
  const redacted = erase(core, tx, () => {
    redactStepRow(core, tx, step);
    redactRunErrors(core, tx, run);
    const error = run.error === null ? null : placeholderFor(run.error, tx.nowMs);
    return core.store.runs.update(run, { error }, tx.nowMs);
  });
  auditRun(core, tx, redacted, "step.redacted", {}, stepId);
  announceRun(core, tx, redacted, "updated");
}

/** The old bytes go from the file with the change, and from the log after it. */
function erase<T>(core: Core, tx: Tx, work: () => T): T {
  tx.afterCommit(() => core.logEmptier.empty());
  return core.store.db.erasing(work);
}

function requireEnded(run: RunRow | undefined): void {
  if (run === undefined || TERMINAL_RUN_STATUSES.includes(run.status)) return;
  throw new ApiError(
    "failed_precondition",
    `run ${run.id} is ${run.status} and still needs it; cancel it first`,
  );
}

function redactStepRow(core: Core, tx: Tx, step: StepRow): void {
  const hide = (text: string | null) => (text === null ? null : placeholderFor(text, tx.nowMs));
  core.store.steps.redact(
    step.id,
    {
      input: hide(step.input),
      output: hide(step.output),
      original_output: hide(step.original_output),
      error: hide(step.error),
    },
    tx.nowMs,
  );
  // A replacement's row holds the output it replaced.
  for (const row of core.store.audit.byRun(step.run_id)) {
    if (row.step_id === step.id) core.store.audit.setPayload(row.seq, placeholderFor(row.payload, tx.nowMs));
  }
}

/** Attempt errors, and what repeats them: audit payloads and the history of breakers. */
function redactRunErrors(core: Core, tx: Tx, run: RunRow): void {
  core.breakers.redact(tx, run, (text) => placeholderFor(text, tx.nowMs));
  core.store.attemptErrors.redact(run.id, (text) => placeholderFor(text, tx.nowMs));
  for (const row of core.store.audit.byRun(run.id)) {
    core.store.audit.setPayload(row.seq, placeholderFor(row.payload, tx.nowMs));
  }
}
