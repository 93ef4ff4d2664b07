import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { once, scopeOf } from "../execute/emit.ts";
import { addToOutbox } from "../outbox/outbox.ts";
import type { JsonText } from "../json/json-text.ts";
import type { NewEvent } from "../store/events.ts";
import type { StreamRow } from "../store/streams.ts";
import type { Tx } from "../store/writer.ts";

/** The expected version that lets every version pass. */
export const ANY_VERSION = -1;

/** Where events come from that were appended. */
export const STREAM_SOURCE = "stream";

export interface Append {
  environmentId: string;
  entityId: string;
  entityType: string;
  name: string;
  data: JsonText;
  metadata?: JsonText | undefined;
  /** The version the stream has to have: `ANY_VERSION`, or 0 for a stream that is not there yet. */
  expectedVersion: number;
  idempotencyKey?: string | undefined;
  /** Of the event's schema. */
  version: number;
  /** The run in which the event was appended. */
  runId?: string | undefined;
}

export interface Appended {
  entityVersion: number;
  eventId: string;
}

/**
 * Appends an event to an entity's stream, which begins with its first event, and puts it into the outbox, from where it is
 * routed like any other event: all in one change. A repeated key answers what it answered before, whatever the stream's version is by then.
 * @throws ApiError aborted for another version than expected, failed_precondition for a deleted stream or another type
 */
export function appendEvent(core: Core, tx: Tx, append: Append): Appended {
  const { environmentId, entityId } = append;
  const scope = scopeOf(environmentId, "append", entityId, append.idempotencyKey);
  const answer = once(core, tx, scope, () => {
    const stream = core.store.streams.get(environmentId, entityId);
    requireAppendable(stream, append);
    const event = addToStream(core, tx, stream ?? newStream(append, tx.nowMs), append);
    return { eventId: event.id, runIds: [] };
  });
  const stored = core.store.events.get(environmentId, answer.eventId);
  // The key's event was purged since.
  if (stored?.entity_version == null) throw deleted(entityId);
  return { eventId: answer.eventId, entityVersion: stored.entity_version };
}

/** Stores the next event of a stream and puts it into the outbox. */
export function addToStream(
  core: Core,
  tx: Tx,
  stream: StreamRow,
  event: Pick<Append, "name" | "data" | "metadata" | "idempotencyKey" | "version" | "runId">,
): NewEvent {
  const version = stream.version + 1;
  const row: NewEvent = {
    id: core.ids.next("evt"),
    environment_id: stream.environment_id,
    name: event.name,
    data: event.data.text,
    metadata: event.metadata?.text ?? null,
    source: STREAM_SOURCE,
    version: event.version,
    idempotency_key: event.idempotencyKey ?? null,
    run_id: event.runId ?? null,
    timestamp: tx.nowMs,
    entity_id: stream.entity_id,
    entity_type: stream.entity_type,
    entity_version: version,
  };
  core.store.events.insert(row);
  core.store.streams.put({ ...stream, version, event_count: stream.event_count + 1, updated_at: tx.nowMs });
  core.projections.moved(tx);
  addToOutbox(core, tx, row, stream.entity_id);
  return row;
}

function newStream(append: Append, nowMs: number): StreamRow {
  return {
    environment_id: append.environmentId,
    entity_id: append.entityId,
    entity_type: append.entityType,
    version: 0,
    event_count: 0,
    created_at: nowMs,
    updated_at: nowMs,
    deleted_at: null,
    purge_below: null,
    purging: 0,
  };
}

function requireAppendable(stream: StreamRow | undefined, append: Append): void {
  if (stream !== undefined && stream.deleted_at !== null) throw deleted(append.entityId);
  if (stream !== undefined && stream.entity_type !== append.entityType) {
    throw new ApiError(
      "failed_precondition",
      `entity_type: the stream ${append.entityId} is of type ${stream.entity_type}`,
    );
  }
  const version = stream?.version ?? 0;
  if (append.expectedVersion !== ANY_VERSION && append.expectedVersion !== version) {
    throw new ApiError(
      "aborted",
      `version conflict: the stream ${append.entityId} is at version ${version}, not ${append.expectedVersion}`,
    );
  }
}

const deleted = (entityId: string) =>
  new ApiError("failed_precondition", `the stream ${entityId} is deleted and takes no further events`);
