import type { Core } from "../core.ts";
import { encodeJson } from "../json/json-text.ts";
import type { RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";

/** The audit is written in the transaction of what it tells, so it tells neither more nor less than happened. */

export function auditRun(
  core: Core,
  tx: Tx,
  run: RunRow,
  eventType: string,
  payload: Record<string, unknown>,
  stepId: string | null = null,
): void {
  core.store.audit.add({
    id: core.ids.next("aud"),
    environment_id: run.environment_id,
    event_type: eventType,
    run_id: run.id,
    function_id: run.function_id,
    step_id: stepId,
    payload: encodeJson(payload),
    created_at: tx.nowMs,
    api_key_id: tx.apiKeyId,
  });
}

/** A step that was stored as it ended has one row, one that slept or waited has two. */
export function auditStep(
  core: Core,
  tx: Tx,
  run: RunRow,
  step: { id: string; name: string; status: string },
  action: "created" | "updated" | "completed" | "failed",
): void {
  const started = action === "created" && (step.status === "sleeping" || step.status === "waiting");
  if (action === "updated" || (action === "created" && !started)) return;
  const payload = { name: step.name, status: step.status, attempt: run.attempt };
  auditRun(core, tx, run, started ? "step.started" : `step.${action}`, payload, step.id);
}

/** Something that belongs to no run. */
export function auditOther(
  core: Core,
  tx: Tx,
  row: { environmentId: string; eventType: string; functionId?: string; payload: Record<string, unknown> },
): void {
  core.store.audit.add({
    id: core.ids.next("aud"),
    environment_id: row.environmentId,
    event_type: row.eventType,
    run_id: null,
    function_id: row.functionId ?? null,
    step_id: null,
    payload: encodeJson(row.payload),
    created_at: tx.nowMs,
    api_key_id: tx.apiKeyId,
  });
}
