import { toTimestamp } from "../clock.ts";
import { JsonText } from "../json/json-text.ts";
import type { EventRow } from "../store/events.ts";
import type { SnapshotRow } from "../store/snapshots.ts";
import type { StreamRow } from "../store/streams.ts";
import type { HistoryEntry } from "../streams/history.ts";
import { int64Text, twin } from "./protojson.ts";

/** Streams as the wire shows them, section 2.5: Connect messages and REST objects. */

type Shape = Record<string, unknown>;

const json = (text: string | null) => (text === null ? undefined : new JsonText(text));
const time = (ms: number | null) => (ms === null ? undefined : toTimestamp(ms));

export function connectStream(stream: StreamRow): Shape {
  return {
    entityId: stream.entity_id,
    entityType: stream.entity_type,
    version: int64Text(stream.version),
    eventCount: int64Text(stream.event_count),
    createdAt: toTimestamp(stream.created_at),
    updatedAt: toTimestamp(stream.updated_at),
    deleted: stream.deleted_at !== null,
  };
}

export function restStream(stream: StreamRow): Shape {
  return {
    entity_id: stream.entity_id,
    entity_type: stream.entity_type,
    version: stream.version,
    event_count: stream.event_count,
    created_at: toTimestamp(stream.created_at),
    updated_at: toTimestamp(stream.updated_at),
    deleted: stream.deleted_at !== null,
  };
}

export function connectStreamEvent(event: EventRow): Shape {
  return {
    id: event.id,
    name: event.name,
    ...twin("data", event.data),
    entityVersion: String(event.entity_version),
    version: event.version,
    timestamp: toTimestamp(event.timestamp),
    source: event.source,
    metadata: json(event.metadata),
    environmentId: event.environment_id,
    idempotencyKey: event.idempotency_key,
    processed: true,
    runId: event.run_id,
    createdAt: toTimestamp(event.timestamp),
    entityId: event.entity_id,
    entityType: event.entity_type,
  };
}

export function restStreamEvent(event: EventRow): Shape {
  return {
    id: event.id,
    name: event.name,
    data: new JsonText(event.data),
    entity_id: event.entity_id,
    entity_type: event.entity_type,
    entity_version: event.entity_version,
    version: event.version,
    timestamp: toTimestamp(event.timestamp),
    source: event.source,
    metadata: json(event.metadata),
    idempotency_key: event.idempotency_key ?? undefined,
    processed: true,
    run_id: event.run_id ?? undefined,
    created_at: toTimestamp(event.timestamp),
  };
}

/** Text of an error that is stored as JSON; a redacted one has none. */
function messageOf(error: string | null): string | undefined {
  if (error === null) return undefined;
  const parsed = JSON.parse(error) as { message?: unknown };
  return typeof parsed.message === "string" ? parsed.message : undefined;
}

const durationMs = (from: number | null, to: number | null) =>
  from === null || to === null ? undefined : Math.max(0, to - from);

export function connectHistoryEntry({ event, runs }: HistoryEntry): Shape {
  return {
    eventId: event.id,
    eventName: event.name,
    ...twin("eventData", event.data),
    entityVersion: String(event.entity_version),
    schemaVersion: event.version,
    source: event.source,
    timestamp: toTimestamp(event.timestamp),
    runs: runs.map(({ run, steps }) => ({
      runId: run.id,
      functionId: run.function_id,
      status: run.status,
      durationMs: durationMs(run.started_at, run.ended_at),
      startedAt: time(run.started_at),
      endedAt: time(run.ended_at),
      steps: steps.map((step) => ({
        stepId: step.id,
        name: step.name,
        stepType: step.type,
        status: step.status,
        durationMs: step.duration_ms === null ? undefined : Math.round(step.duration_ms),
        errorMessage: messageOf(step.error),
      })),
    })),
  };
}

export function restHistoryEntry({ event, runs }: HistoryEntry): Shape {
  return {
    event_id: event.id,
    event_name: event.name,
    event_data: new JsonText(event.data),
    entity_version: event.entity_version,
    schema_version: event.version,
    source: event.source,
    timestamp: toTimestamp(event.timestamp),
    runs: runs.map(({ run, steps }) => ({
      run_id: run.id,
      function_id: run.function_id,
      status: run.status,
      duration_ms: durationMs(run.started_at, run.ended_at),
      started_at: time(run.started_at),
      ended_at: time(run.ended_at),
      steps: steps.map((step) => ({
        step_id: step.id,
        name: step.name,
        step_type: step.type,
        status: step.status,
        duration_ms: step.duration_ms === null ? undefined : Math.round(step.duration_ms),
        error_message: messageOf(step.error),
      })),
    })),
  };
}

/** What a history says about its entity. */
export function connectHistoryInfo(stream: StreamRow): Shape {
  return {
    entityId: stream.entity_id,
    entityType: stream.entity_type,
    currentVersion: int64Text(stream.version),
    totalEventCount: int64Text(stream.event_count),
    createdAt: toTimestamp(stream.created_at),
    updatedAt: toTimestamp(stream.updated_at),
    deleted: stream.deleted_at !== null,
  };
}

export function restHistoryInfo(stream: StreamRow): Shape {
  return {
    entity_id: stream.entity_id,
    entity_type: stream.entity_type,
    current_version: stream.version,
    total_event_count: stream.event_count,
    created_at: toTimestamp(stream.created_at),
    updated_at: toTimestamp(stream.updated_at),
    deleted: stream.deleted_at !== null,
  };
}

export function connectSnapshot(row: SnapshotRow): Shape {
  return {
    snapshotId: row.id,
    entityId: row.entity_id,
    entityType: row.entity_type,
    entityVersion: String(row.entity_version),
    ...twin("state", row.state),
    createdAt: toTimestamp(row.created_at),
  };
}

export function restSnapshot(row: SnapshotRow): Shape {
  return {
    snapshot_id: row.id,
    entity_id: row.entity_id,
    entity_type: row.entity_type,
    entity_version: row.entity_version,
    state: new JsonText(row.state),
    created_at: toTimestamp(row.created_at),
  };
}
