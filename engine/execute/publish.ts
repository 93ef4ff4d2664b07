import type { Core } from "../core.ts";
import type { JsonText } from "../json/json-text.ts";
import type { IdempotencyScope } from "../store/idempotency.ts";
import type { Tx } from "../store/writer.ts";
import { announceMessage } from "./notices.ts";

export interface Publish {
  environmentId: string;
  topic: string;
  data: JsonText;
  idempotencyKey?: string | undefined;
  /** The run in which it was published. */
  runId?: string | undefined;
}

/** A topic keeps so many messages; older ones go. */
export const TOPIC_MESSAGES_KEPT = 10_000;

/**
 * Stores a message and tells it to those who subscribe to `topic:{name}`. Topics start no runs. The same key with the same
 * topic answers what it answered before and publishes nothing.
 */
export function publish(core: Core, tx: Tx, wanted: Publish): { eventId: string; sequence: number } {
  const key = wanted.idempotencyKey ?? "";
  const scope: IdempotencyScope = {
    environmentId: wanted.environmentId,
    operation: "publish",
    subject: wanted.topic,
    key,
  };
  const before = key === "" ? undefined : core.store.idempotency.get(scope);
  if (before !== undefined) return { eventId: before.eventId, sequence: Number(before.runIds[0] ?? 0) };
  const message = {
    id: core.ids.next("evt"),
    environment_id: wanted.environmentId,
    topic: wanted.topic,
    data: wanted.data.text,
    run_id: wanted.runId ?? null,
    created_at: tx.nowMs,
  };
  const sequence = core.store.topics.add(message);
  core.store.topics.trim(wanted.environmentId, wanted.topic, TOPIC_MESSAGES_KEPT);
  // The number stands where an emit has its runs.
  if (key !== "")
    core.store.idempotency.put(scope, { eventId: message.id, runIds: [String(sequence)] }, tx.nowMs);
  announceMessage(core, tx, { ...message, seq: sequence });
  return { eventId: message.id, sequence };
}
