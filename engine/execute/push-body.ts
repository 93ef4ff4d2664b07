import { toTimestamp } from "../clock.ts";
import { encodeJson, JsonText } from "../json/json-text.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Store } from "../store/store.ts";
import { isPlaceholder } from "./placeholder.ts";

/** The JSON text that a push function receives, section 3.1. Payloads go out exactly as they came in. */
export function buildPushBody(store: Store, run: RunRow, secrets: Record<string, string>): string {
  return encodeJson({
    run_id: run.id,
    function_id: run.function_id,
    attempt: run.attempt,
    event: eventOf(store, run),
    steps: knownSteps(store, run).map((step) => ({ id: step.id, ...stepOf(step) })),
    secrets: Object.keys(secrets).length === 0 ? undefined : secrets,
  });
}

/** What a pull worker receives about a run, section 4, but for the job's id and the end of its lease. */
export function buildAssignment(
  store: Store,
  run: RunRow,
  secrets: Record<string, string>,
): Record<string, unknown> {
  return {
    run_id: run.id,
    function_id: run.function_id,
    attempt: run.attempt,
    event: eventOf(store, run),
    completed_steps: knownSteps(store, run).map((step) => ({ step_id: step.id, ...stepOf(step) })),
    step_sequence_base: run.step_count,
    execution_seq: run.execution_seq,
    lease_token: run.lease_token,
    max_attempts: run.max_attempts,
    context: Object.keys(secrets).length === 0 ? undefined : { secrets },
  };
}

function eventOf(store: Store, run: RunRow): Record<string, unknown> {
  const event = store.events.get(run.environment_id, run.event_id);
  const metadata = event?.metadata ?? "null";
  return {
    id: run.event_id,
    name: run.event_name,
    data: new JsonText(run.input),
    timestamp: toTimestamp(event?.timestamp ?? run.created_at),
    version: event?.version ?? 1,
    source: event?.source,
    idempotency_key: event?.idempotency_key ?? undefined,
    // The event may be redacted since the run was made.
    metadata: new JsonText(isPlaceholder(metadata) ? "null" : metadata),
  };
}

const knownSteps = (store: Store, run: RunRow): StepRow[] =>
  run.step_count === 0 ? [] : store.steps.byRun(run.id).filter((step) => isKnownToHandler(step, run));

const stepOf = (step: StepRow) => ({
  name: step.name,
  status: step.status,
  output: step.output === null ? undefined : new JsonText(step.output),
  error: step.error === null || step.status === "completed" ? undefined : errorText(step.error),
});

/** Completed steps, and waits for a child that ended badly in this attempt; everything else the handler does again. */
function isKnownToHandler(step: StepRow, run: RunRow): boolean {
  if (step.status === "completed") return true;
  const endedBadly = step.status === "failed" || step.status === "timed_out";
  return step.type === "invoke_function" && endedBadly && step.attempt === run.attempt;
}

/** For a wait on a child the message is itself JSON text: `{function_id, child_run_id, cause}` (section 3.3). */
function errorText(error: string): string {
  const parsed = JSON.parse(error) as { message?: unknown };
  return typeof parsed.message === "string" ? parsed.message : error;
}
