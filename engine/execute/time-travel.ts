import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { toJsonText } from "../json/json-text.ts";
import type { AuditRow } from "../store/audit.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";

/** A step as it was at some moment. */
export interface StepState {
  step: StepRow;
  status: StepRow["status"];
  /** JSON text; null while there was none. */
  output: string | null;
  endedAt: number | null;
}

export interface RunState {
  run: RunRow;
  status: RunRow["status"];
  output: string | null;
  error: string | null;
  steps: StepState[];
}

export interface TimelineEntry {
  row: AuditRow;
  stepName: string;
  summary: string;
  /** It changed what the run is, not only how far it is. */
  significant: boolean;
}

/**
 * A run as it was at a moment, from its audit trail: which steps there were, how far each was and what it had answered,
 * also when somebody put another answer in its place later.
 * @throws ApiError out_of_range when the run was not there yet
 */
export function runStateAt(core: Core, run: RunRow, atMs: number): RunState {
  if (atMs < run.created_at) {
    throw new ApiError("out_of_range", `timestamp: run ${run.id} was made after it`);
  }
  const trail = core.store.audit.byRun(run.id);
  const past = trail.filter((row) => row.created_at <= atMs);
  const steps = core.store.steps
    .byRun(run.id)
    .filter((step) => step.created_at <= atMs)
    .map((step) => stepStateAt(step, past, trail, atMs));
  const status = runStatusAt(past, steps);
  const ended = run.ended_at !== null && run.ended_at <= atMs;
  return {
    run,
    steps,
    status,
    output: ended && status === "completed" ? run.output : null,
    error: status === "failed" || status === "paused" ? memberOf(lastOf(past, isRunRow), "error") : null,
  };
}

const isRunRow = (row: AuditRow) => row.step_id === null && /^run\.(?!redacted)/.test(row.event_type);

function lastOf(rows: readonly AuditRow[], wanted: (row: AuditRow) => boolean): AuditRow | undefined {
  return rows.findLast(wanted);
}

function runStatusAt(past: readonly AuditRow[], steps: readonly StepState[]): RunRow["status"] {
  const type = lastOf(past, isRunRow)?.event_type;
  if (type === "run.completed") return "completed";
  if (type === "run.failed") return "failed";
  if (type === "run.cancelled") return "cancelled";
  if (type === "run.paused") return "paused";
  return steps.some(({ status }) => status === "sleeping" || status === "waiting") ? "waiting" : "running";
}

function stepStateAt(
  step: StepRow,
  past: readonly AuditRow[],
  trail: readonly AuditRow[],
  atMs: number,
): StepState {
  const own = past.filter((row) => row.step_id === step.id);
  const replaced = own.some((row) => isReplacement(row));
  const lastStatus = lastOf(own, (row) => /^step\.(started|completed|failed)$/.test(row.event_type));
  const status = replaced ? "completed" : statusAt(step, lastStatus, atMs);
  return {
    step,
    status,
    output: status === "completed" ? outputAt(step, trail, atMs) : null,
    endedAt: step.ended_at !== null && step.ended_at <= atMs ? step.ended_at : null,
  };
}

/** A step that was redacted says nothing of itself any more but how it ended. */
function statusAt(step: StepRow, told: AuditRow | undefined, atMs: number): StepRow["status"] {
  if (step.ended_at !== null && step.ended_at <= atMs) return step.status;
  if (told?.event_type === "step.failed") return "failed";
  if (told?.event_type === "step.completed") return "completed";
  return step.type === "sleep" ? "sleeping" : told === undefined ? step.status : "waiting";
}

const isReplacement = (row: AuditRow) =>
  row.event_type === "step.patched" || row.event_type === "step.injected";

/** What the first replacement after the moment replaced; without one, what is there now. */
function outputAt(step: StepRow, trail: readonly AuditRow[], atMs: number): string | null {
  const next = trail.find((row) => row.step_id === step.id && row.created_at > atMs && isReplacement(row));
  return next === undefined ? step.output : memberOf(next, "previous_output");
}

/** A member of an audit payload as JSON text, digit for digit. */
function memberOf(row: AuditRow | undefined, name: string): string | null {
  if (row === undefined) return null;
  const payload = parseExactJson(row.payload) as Record<string, unknown>;
  return payload[name] === undefined ? null : toJsonText(payload[name]).text;
}

/** @throws ApiError not_found when there was no such step yet */
export function stepStateOf(core: Core, run: RunRow, stepId: string, atMs: number): StepState {
  const { steps } = runStateAt(core, run, atMs);
  const found =
    steps.find(({ step }) => step.id === stepId) ?? steps.findLast(({ step }) => step.name === stepId);
  if (found === undefined) throw new ApiError("not_found", `run ${run.id} had no step ${stepId} then`);
  return found;
}

/** What happened to a run, oldest first. */
export function runTimeline(core: Core, run: RunRow): TimelineEntry[] {
  const names = new Map(core.store.steps.byRun(run.id).map((step) => [step.id, step.name]));
  return core.store.audit.byRun(run.id).map((row) => {
    const stepName = row.step_id === null ? "" : (names.get(row.step_id) ?? "");
    return {
      row,
      stepName,
      summary: summaryOf(row, stepName),
      significant: row.step_id === null || row.event_type !== "step.started",
    };
  });
}

function summaryOf(row: AuditRow, stepName: string): string {
  const [subject = "", verb = ""] = row.event_type.split(".");
  const payload = JSON.parse(row.payload) as { attempt?: unknown; cause?: unknown; reason?: unknown };
  const details = [
    typeof payload.attempt === "number" && payload.attempt > 1 ? `attempt ${payload.attempt}` : "",
    ...[payload.cause, payload.reason].map((text) => (typeof text === "string" ? text : "")),
  ].filter((text) => text !== "");
  const what = subject === "step" ? `step ${stepName} ${verb}` : `${subject} ${verb}`;
  return details.length === 0 ? what : `${what} (${details.join(", ")})`;
}
