import { toTimestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { JsonText } from "../json/json-text.ts";
import { statusOf } from "../projections/notices.ts";
import { GLOBAL_PARTITION } from "../projections/partition.ts";
import type { Delivery } from "../projections/poll.ts";
import type { DryRun } from "../projections/rebuild.ts";
import { rebuildTrack, workerTrack } from "../projections/track.ts";
import { lagOf, type CatchUp } from "../projections/wait.ts";
import type { StateRow } from "../store/projection-states.ts";
import type { HistoryRow, ProjectionRow } from "../store/projections.ts";
import type { RebuildRow } from "../store/rebuild-jobs.ts";
import { int64Text, twin } from "./protojson.ts";

/** Projections as the wire shows them, section 2.6. */

type Shape = Record<string, unknown>;

const time = (ms: number | null | undefined) => (ms == null ? undefined : toTimestamp(ms));
const json = (text: string | null) => (text === null ? undefined : new JsonText(text));

/** While a rebuild runs, its position is the one that moves. */
function positionOf(core: Core, row: ProjectionRow): number {
  return rebuildTrack(core, row)?.job?.last_event_seq ?? row.last_event_seq;
}

export function connectProjection(core: Core, row: ProjectionRow): Shape {
  const job = rebuildTrack(core, row)?.job;
  return {
    name: row.name,
    mode: row.mode,
    status: statusOf(row),
    events: JSON.parse(row.events) as string[],
    partitionKey: row.partition_key,
    version: row.version,
    versionFull: int64Text(row.version),
    lastEventSeq: int64Text(positionOf(core, row)),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    errorMessage: row.error_message,
    environmentId: row.environment_id,
    type: row.type,
    sqlDefinition: row.table_sql,
    eventHandlers: json(row.handlers),
    description: row.description,
    ...(job === undefined
      ? {}
      : {
          rebuildTargetSeq: int64Text(job.target_seq),
          rebuildStartCursor: int64Text(job.from_seq - 1),
          rebuildStartedAt: toTimestamp(job.started_at),
        }),
  };
}

export function restProjection(core: Core, row: ProjectionRow): Shape {
  return {
    name: row.name,
    environment_id: row.environment_id,
    mode: row.mode,
    status: statusOf(row),
    type: row.type,
    events: JSON.parse(row.events) as string[],
    partition_key: row.partition_key === "" ? undefined : row.partition_key,
    version: row.version,
    description: row.description === "" ? undefined : row.description,
    sql_definition: row.table_sql ?? undefined,
    event_handlers: json(row.handlers),
    last_event_seq: positionOf(core, row),
    error_message: row.error_message ?? undefined,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

export function connectProjectionStatus(core: Core, row: ProjectionRow): Shape {
  const job = rebuildTrack(core, row)?.job;
  return {
    name: row.name,
    status: statusOf(row),
    mode: row.mode,
    lastEventSeq: int64Text(positionOf(core, row)),
    lag: int64Text(lagOf(core, workerTrack(core, row))),
    errorMessage: row.error_message,
    updatedAt: toTimestamp(row.updated_at),
    ...(job === undefined
      ? {}
      : {
          rebuildTargetSeq: int64Text(job.target_seq),
          rebuildStartCursor: int64Text(job.from_seq - 1),
          rebuildStartedAt: toTimestamp(job.started_at),
        }),
  };
}

export function restProjectionStatus(core: Core, row: ProjectionRow): Shape {
  return {
    name: row.name,
    status: statusOf(row),
    mode: row.mode,
    last_event_seq: positionOf(core, row),
    lag: lagOf(core, workerTrack(core, row)),
    error_message: row.error_message ?? undefined,
    updated_at: toTimestamp(row.updated_at),
  };
}

/** The served state of a partition beside the registry; without a state there is none of its fields. */
export function connectState(
  core: Core,
  row: ProjectionRow,
  partition: string,
  state: StateRow | undefined,
): Shape {
  return {
    name: row.name,
    partition,
    ...(state === undefined
      ? {}
      : {
          ...twin("state", state.state),
          lastEventId: state.last_event_id,
          lastEventTime: time(state.last_event_time),
          version: int64Text(state.version),
          stateLastEventSeq: int64Text(state.last_event_seq),
          stateUpdatedAt: toTimestamp(state.updated_at),
          stateEnvironmentId: state.environment_id,
        }),
    mode: row.mode,
    registry: connectProjection(core, row),
  };
}

/** The time that the contract uses where there is none. */
const zeroTime = "0001-01-01T00:00:00Z";

export function restState(core: Core, row: ProjectionRow, state: StateRow | undefined): Shape {
  return {
    ...restProjection(core, row),
    state:
      state === undefined
        ? null
        : {
            environment_id: state.environment_id,
            projection_name: state.name,
            partition_key: state.partition_key,
            state: new JsonText(state.state),
            last_event_id: state.last_event_id ?? "",
            last_event_seq: state.last_event_seq,
            last_event_time: time(state.last_event_time) ?? zeroTime,
            version: state.version,
            updated_at: toTimestamp(state.updated_at),
          },
  };
}

type Job = RebuildRow | DryRun;

function progressOf(job: Job): number {
  if (job.status === "completed") return 100;
  if (job.status === "dry_run" || job.total_events === 0) return 0;
  return Math.min(100, (job.events_processed / job.total_events) * 100);
}

/** What is left at the speed so far, `12.5s`; undefined while nothing was done. */
function remainingOf(core: Core, job: Job): string | undefined {
  if (job.status !== "running" || job.events_processed === 0) return undefined;
  const left = Math.max(0, job.total_events - job.events_processed);
  const elapsedMs = Math.max(0, core.clock.nowMs() - job.started_at);
  return `${Math.round((elapsedMs / job.events_processed) * left) / 1000}s`;
}

export function connectJob(core: Core, job: Job): Shape {
  return {
    jobId: job.id,
    projectionName: job.name,
    status: job.status,
    eventsProcessed: int64Text(job.events_processed),
    totalEvents: int64Text(job.total_events),
    progress: progressOf(job),
    startedAt: job.status === "dry_run" ? undefined : toTimestamp(job.started_at),
    estimatedRemaining: remainingOf(core, job),
    error: job.error,
    fromEventId: job.from_event_id,
    toEventId: job.to_event_id,
    partition: job.partition_key,
    dryRun: job.status === "dry_run",
  };
}

export function restJob(core: Core, job: Job): Shape {
  return {
    job_id: job.id,
    projection_name: job.name,
    status: job.status,
    events_processed: job.events_processed,
    total_events: job.total_events,
    progress: progressOf(job),
    started_at: job.status === "dry_run" ? undefined : toTimestamp(job.started_at),
    estimated_remaining: remainingOf(core, job),
    error: job.error ?? undefined,
    from_event_id: job.from_event_id === "" ? undefined : job.from_event_id,
    to_event_id: job.to_event_id === "" ? undefined : job.to_event_id,
    partition: job.partition_key === "" ? undefined : job.partition_key,
    dry_run: job.status === "dry_run",
  };
}

/** An event as workers get it; its partition travels in the metadata, as SDKs look for it. */
export function projectionEvent({ event, partition }: Delivery["events"][number]): Shape {
  return {
    id: event.id,
    name: event.name,
    ...twin("data", event.data),
    seq: int64Text(event.seq),
    timestamp: toTimestamp(event.timestamp),
    source: event.source,
    metadata: withPartition(event.metadata, partition),
  };
}

/** Adds the member to the JSON text of an object: nothing else of the text changes. */
function withPartition(metadata: string | null, partition: string): JsonText | undefined {
  if (partition === GLOBAL_PARTITION) return json(metadata) ?? undefined;
  const member = `"__partition":${JSON.stringify(partition)}`;
  const rest = (metadata ?? "{}").trimStart().slice(1).trimStart();
  // The last of two equal members wins, so ours comes last.
  return new JsonText(rest.startsWith("}") ? `{${member}}` : `{${rest.replace(/\}\s*$/, `,${member}}`)}`);
}

export function catchUp({ projection, caughtUp, currentSeq }: CatchUp, minSeq: number): Shape {
  return {
    caughtUp,
    timedOut: !caughtUp,
    currentSeq: int64Text(currentSeq),
    targetSeq: int64Text(minSeq),
    behindByEvents: int64Text(caughtUp ? 0 : Math.max(1, minSeq - currentSeq)),
    rebuilding: false,
    mode: projection.mode,
  };
}

/** REST says numbers where protojson says texts. */
export function restCatchUp({ projection, caughtUp, currentSeq }: CatchUp, minSeq: number): Shape {
  return {
    caughtUp,
    timedOut: !caughtUp,
    currentSeq,
    targetSeq: minSeq,
    behindByEvents: caughtUp ? 0 : Math.max(1, minSeq - currentSeq),
    rebuilding: false,
    mode: projection.mode,
  };
}

export function connectRevision(row: HistoryRow): Shape {
  return {
    revision: int64Text(row.revision),
    previousDefinition: {
      name: row.name,
      environmentId: row.environment_id,
      ...(JSON.parse(row.definition) as Shape),
    },
    changeReason: row.change_reason,
    changeType: row.change_type,
    recordedAt: toTimestamp(row.recorded_at),
  };
}
