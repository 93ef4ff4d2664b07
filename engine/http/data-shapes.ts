import { toTimestamp } from "../clock.ts";
import { JsonText } from "../json/json-text.ts";
import type { KvBucketRow, KvEntryRow } from "../store/kv.ts";
import type { DeadOutboxRow } from "../store/outbox.ts";
import type { SecretRow } from "../store/secrets.ts";

/** Rows of the data services as REST shows them. */

type Shape = Record<string, unknown>;

export function restKvBucket(row: KvBucketRow): Shape {
  return {
    name: row.name,
    description: row.description === "" ? undefined : row.description,
    ttl_seconds: row.ttl_seconds ?? undefined,
    max_value_size: row.max_value_bytes,
    max_bytes: row.max_bytes ?? undefined,
    values: row.entries,
    bytes: row.bytes,
    history: row.history,
    created_at: toTimestamp(row.created_at),
  };
}

export function restKvEntry(row: KvEntryRow): Shape {
  return {
    key: row.key,
    value: Buffer.from(row.value).toString("base64"),
    revision: row.revision,
    created_at: toTimestamp(row.created_at),
    operation: row.operation,
  };
}

/** What may be told about a secret. */
export function restSecret(row: SecretRow): Shape {
  return {
    name: row.name,
    revision: row.revision,
    description: row.description === "" ? undefined : row.description,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

/** A delivery that was given up, with its event as long as that is there. */
export function restOutboxItem(row: DeadOutboxRow): Shape {
  const json = (text: string | null) => (text === null ? undefined : new JsonText(text));
  return {
    id: row.id,
    event_id: row.event_id,
    environment_id: row.environment_id,
    topic: row.topic,
    kind: row.kind,
    attempts: row.attempts,
    last_error: row.last_error,
    created_at: toTimestamp(row.created_at),
    dead_at: row.dead_at === null ? undefined : toTimestamp(row.dead_at),
    entity_id: row.entity_id,
    metadata: json(row.event_metadata),
    payload: json(row.event_data),
  };
}
