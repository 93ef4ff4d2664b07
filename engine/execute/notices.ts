import { toTimestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { messageOf } from "../errors.ts";
import { JsonText } from "../json/json-text.ts";
import type { BreakerRow } from "../store/breakers.ts";
import type { DeadLetterRow } from "../store/dead-letters.ts";
import type { FunctionRow } from "../store/functions.ts";
import type { RunRow } from "../store/runs.ts";
import type { SecretRow } from "../store/secrets.ts";
import type { TopicMessage } from "../store/topics.ts";
import type { Tx } from "../store/writer.ts";
import { noticeOf, toldOfEvent, toldOfMessage, type StoredEvent } from "../pubsub/messages.ts";
import { auditRun, auditStep } from "./audit.ts";
import type { Notice } from "./hub.ts";

export type RunAction =
  | "created"
  | "updated"
  | "resumed"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled"
  | "deleted";
export type StepAction = "created" | "updated" | "completed" | "failed";

function announce(core: Core, tx: Tx, notice: () => Notice): void {
  tx.afterCommit(() => {
    if (core.hub.isQuiet()) return;
    const told = notice();
    try {
      core.hub.publish(told);
    } catch (error) {
      core.undelivered(told, messageOf(error));
    }
  });
}

const payload = (text: string | null) => (text === null ? undefined : new JsonText(text));

/** `system.run.{id}.{action}`; output and error are there once the run has them. All but `updated` are audited. */
export function announceRun(core: Core, tx: Tx, run: RunRow, action: RunAction): void {
  if (action !== "updated") {
    auditRun(core, tx, run, `run.${action}`, {
      status: run.status,
      attempt: run.attempt,
      ...(run.error === null || action === "completed" ? {} : { error: new JsonText(run.error) }),
      ...(run.cancellation_cause === null ? {} : { cause: run.cancellation_cause }),
    });
  }
  announce(core, tx, () => ({
    environmentId: run.environment_id,
    topic: `system.run.${run.id}.${action === "paused" ? "updated" : action}`,
    data: {
      run_id: run.id,
      function_id: run.function_id,
      event_id: run.event_id,
      status: run.status,
      attempt: run.attempt,
      output: payload(run.output),
      error: payload(run.error),
      updated_at: toTimestamp(run.updated_at),
    },
  }));
}

/** `system.run.{id}.step.{stepId}.{action}`. */
export function announceStep(
  core: Core,
  tx: Tx,
  run: RunRow,
  step: { id: string; name: string; status: string },
  action: StepAction,
): void {
  auditStep(core, tx, run, step, action);
  announce(core, tx, () => ({
    environmentId: run.environment_id,
    topic: `system.run.${run.id}.step.${step.id}.${action}`,
    data: { run_id: run.id, step_id: step.id, name: step.name, status: step.status },
  }));
}

/** `events:{name}`: to whoever listens, and to the consumer groups that take it. */
export function announceEvent(core: Core, tx: Tx, event: StoredEvent): void {
  core.projections.moved(tx);
  core.groups.offer(tx, () => toldOfEvent(event), false);
  announce(core, tx, () => noticeOf(toldOfEvent(event)));
}

/**
 * `topic:{name}`: to whoever listens, and to the consumer groups that take it.
 * @throws ApiError resource_exhausted when a full group blocks
 */
export function announceMessage(core: Core, tx: Tx, message: TopicMessage): void {
  core.groups.offer(tx, () => toldOfMessage(message), true);
  announce(core, tx, () => noticeOf(toldOfMessage(message)));
}

/** `system.function.{id}.{action}`. */
export function announceFunction(
  core: Core,
  tx: Tx,
  row: FunctionRow,
  action: "created" | "updated" | "deleted",
): void {
  announce(core, tx, () => ({
    environmentId: row.environment_id,
    topic: `system.function.${row.id}.${action}`,
    data: { function_id: row.id, version: row.version, status: row.status },
  }));
}

/** `system.breaker.{functionId}.{state}`. */
export function announceBreaker(core: Core, tx: Tx, row: BreakerRow): void {
  announce(core, tx, () => ({
    environmentId: row.environment_id,
    topic: `system.breaker.${row.function_id}.${row.state}`,
    data: { key: row.key, function_id: row.function_id, endpoint: row.endpoint, state: row.state },
  }));
}

/** `system.dead_letter.{source}.created`. */
export function announceDeadLetter(core: Core, tx: Tx, row: Omit<DeadLetterRow, "seq">): void {
  announce(core, tx, () => ({
    environmentId: row.environment_id,
    topic: `system.dead_letter.${row.source}.created`,
    data: { id: row.id, source: row.source, event_id: row.event_id, function_id: row.function_id },
  }));
}

/** `system.secret.{name}.{action}`. */
export function announceSecret(
  core: Core,
  tx: Tx,
  row: SecretRow,
  action: "created" | "updated" | "deleted",
): void {
  announce(core, tx, () => ({
    environmentId: row.environment_id,
    topic: `system.secret.${row.name}.${action}`,
    data: { name: row.name, revision: row.revision },
  }));
}

/** `system.outbox.{event id}.{action}`. */
export function announceOutbox(
  core: Core,
  tx: Tx,
  place: { environmentId: string; eventId: string },
  action: "dead" | "requeued" | "discarded",
): void {
  announce(core, tx, () => ({
    environmentId: place.environmentId,
    topic: `system.outbox.${place.eventId}.${action}`,
    data: { event_id: place.eventId },
  }));
}

/** `system.config.{name}.{action}`, with the whole document; a deleted one has no data. */
export function announceConfig(
  core: Core,
  tx: Tx,
  environmentId: string,
  document: { name: string; data: JsonText | null; revision: number; updatedAt: string },
  action: "updated" | "deleted",
): void {
  announce(core, tx, () => ({
    environmentId,
    topic: `system.config.${document.name}.${action}`,
    data: document,
  }));
}
