import { toTimestamp } from "../clock.ts";
import { encodeJson, JsonText } from "../json/json-text.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Store } from "../store/store.ts";

/** The JSON text that a push function receives, section 3.1. Payloads go out exactly as they came in. */
export function buildPushBody(store: Store, run: RunRow): string {
  const event = store.events.get(run.environment_id, run.event_id);
  const steps =
    run.step_count === 0 ? [] : store.steps.byRun(run.id).filter((step) => isKnownToHandler(step, run));
  return encodeJson({
    run_id: run.id,
    function_id: run.function_id,
    attempt: run.attempt,
    event: {
      id: run.event_id,
      name: run.event_name,
      data: new JsonText(run.input),
      timestamp: toTimestamp(event?.timestamp ?? run.created_at),
      version: event?.version ?? 1,
      source: event?.source,
      idempotency_key: event?.idempotency_key ?? undefined,
      metadata: new JsonText(event?.metadata ?? "null"),
    },
    steps: steps.map((step) => ({
      id: step.id,
      name: step.name,
      status: step.status,
      output: step.output === null ? undefined : new JsonText(step.output),
      error: step.error === null || step.status === "completed" ? undefined : errorText(step.error),
    })),
  });
}

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
