import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { RebuildRow } from "../store/rebuild-jobs.ts";
import type { Tx } from "../store/writer.ts";
import { announceProjection } from "./notices.ts";
import { GLOBAL_PARTITION, partitionOf } from "./partition.ts";
import { abandonRebuild, finishRebuild } from "./rebuild-end.ts";
import { createTable } from "./sql/tables.ts";
import { findProjection, namesOf, rebuildTrack, type Track, partsOf } from "./track.ts";

export interface RebuildRequest {
  environmentId: string;
  name: string;
  /** "" for all partitions. */
  partition: string;
  /** "" for the first event there is, or the newest one. */
  fromEventId: string;
  toEventId: string;
  dryRun: boolean;
}

/** What a rebuild would replay: nothing of it is stored. */
export type DryRun = Omit<RebuildRow, "seq" | "status"> & { status: "dry_run" };

/** Rebuilds remembered for each projection. */
const keptJobs = 20;

/**
 * Starts a rebuild: a new generation is built aside, of the events that are there now (or the part that was asked for) and
 * all later ones, and takes the old one's place when it has them. A dry run only counts.
 * @throws ApiError not_found, invalid_argument, failed_precondition while paused, already_exists while one is running
 */
export async function rebuildProjection(core: Core, request: RebuildRequest): Promise<RebuildRow | DryRun> {
  const asked = plan(core, findProjection(core, request.environmentId, request.name), request);
  if (request.dryRun)
    return { ...asked, total_events: await countEvents(core, request, asked), status: "dry_run" };
  const total = await countEvents(core, request, asked);
  const job = await core.writer.write((tx) => start(core, tx, request, total));
  core.projections.wake();
  return job;
}

function requireRebuildable(projection: ProjectionRow): void {
  if (projection.rebuild_id !== null) {
    throw new ApiError("already_exists", `a rebuild of ${projection.name} is running`);
  }
  if (projection.status === "paused") {
    throw new ApiError("failed_precondition", `the projection ${projection.name} is paused; resume it first`);
  }
}

/** The job as it would be stored. */
function plan(
  core: Core,
  projection: ProjectionRow,
  request: RebuildRequest,
): Omit<RebuildRow, "seq" | "status"> {
  requireRebuildable(projection);
  const seqOf = (id: string, field: string): number | undefined => {
    if (id === "") return undefined;
    const event = core.store.events.get(request.environmentId, id);
    if (event === undefined) throw new ApiError("invalid_argument", `${field}: there is no event ${id}`);
    return event.seq;
  };
  const targetSeq = core.store.eventScanner.headSeq();
  const fromSeq = seqOf(request.fromEventId, "from_event_id") ?? 1;
  const toSeq = seqOf(request.toEventId, "to_event_id") ?? targetSeq;
  if (fromSeq > toSeq && request.toEventId !== "") {
    throw new ApiError("invalid_argument", "to_event_id: comes before from_event_id");
  }
  const partition =
    request.partition === GLOBAL_PARTITION && projection.partition_key === "" ? "" : request.partition;
  if (partition !== "" && (projection.partition_key === "" || projection.mode !== "managed")) {
    throw new ApiError("invalid_argument", `partition: the projection ${projection.name} has no partitions`);
  }
  return {
    id: "",
    environment_id: request.environmentId,
    name: request.name,
    generation: 0,
    physical_table: null,
    from_event_id: request.fromEventId,
    to_event_id: request.toEventId,
    partition_key: partition,
    from_seq: fromSeq,
    to_seq: toSeq,
    target_seq: targetSeq,
    cursor_seq: fromSeq - 1,
    last_event_seq: 0,
    last_event_id: null,
    events_processed: 0,
    total_events: 0,
    error: null,
    started_at: core.clock.nowMs(),
    ended_at: null,
  };
}

function start(core: Core, tx: Tx, request: RebuildRequest, totalEvents: number): RebuildRow {
  const projection = findProjection(core, request.environmentId, request.name);
  const asked = plan(core, projection, request);
  const generation = core.store.projections.nextGeneration(request.environmentId, request.name);
  const job = {
    ...asked,
    id: core.ids.next("rbj"),
    status: "running" as const,
    generation,
    physical_table: projection.type === "sql" ? createTable(core, projection) : null,
    total_events: totalEvents,
    started_at: tx.nowMs,
  };
  core.store.rebuilds.insert(job);
  core.store.rebuilds.keepNewest(request.environmentId, request.name, keptJobs);
  const row = { ...projection, rebuild_id: job.id, updated_at: tx.nowMs };
  core.store.projections.put(row);
  core.projections.generationChanged(tx, row);
  announceProjection(core, tx, row, "rebuild_started", { job_id: job.id, total_events: totalEvents });
  const stored = core.store.rebuilds.get(job.id);
  if (stored === undefined) throw new Error(`the rebuild ${job.id} is gone`);
  if (totalEvents > 0 || projection.type === "sql") return stored;
  // Nobody would ever be given an event that ends it.
  finishRebuild(core, tx, row, stored);
  return core.store.rebuilds.get(job.id) ?? stored;
}

/** Events counted before others get their turn. */
const countWindow = 5_000;

/** How many events would be replayed. */
async function countEvents(
  core: Core,
  request: RebuildRequest,
  asked: Omit<RebuildRow, "seq" | "status">,
): Promise<number> {
  const projection = findProjection(core, request.environmentId, request.name);
  const track: Track = {
    projection,
    job: { ...asked, seq: 0, status: "running" },
    generation: 0,
    cursorSeq: asked.cursor_seq,
  };
  const scope = { environmentId: request.environmentId, names: namesOf(core, projection) };
  let total = 0;
  for (const [after, upTo] of partsOf(track, asked.cursor_seq, asked.target_seq)) {
    for (let at = after; at < upTo; at = Math.min(upTo, at + countWindow)) {
      const range = { ...scope, afterSeq: at, upToSeq: Math.min(upTo, at + countWindow) };
      total +=
        asked.partition_key === ""
          ? core.store.eventScanner.count(range)
          : countPartition(core, track, range);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return total;
}

function countPartition(
  core: Core,
  track: Track,
  range: { environmentId: string; names: string[]; afterSeq: number; upToSeq: number },
): number {
  let found = 0;
  for (let at = range.afterSeq; at < range.upToSeq;) {
    const { events, scannedTo } = core.store.eventScanner.scan({
      ...range,
      afterSeq: at,
      limit: 500,
      maxBytes: 16 * 1024 * 1024,
    });
    for (const event of events) {
      const decoded = partitionOf(track.projection.partition_key, event);
      if ("partition" in decoded && decoded.partition === track.job?.partition_key) found += 1;
    }
    at = scannedTo;
  }
  return found;
}

/** @throws ApiError not_found, failed_precondition when none is running */
export function cancelRebuild(core: Core, tx: Tx, environmentId: string, name: string): void {
  const projection = findProjection(core, environmentId, name);
  const job = rebuildTrack(core, projection)?.job;
  if (job === undefined) throw new ApiError("failed_precondition", `no rebuild of ${name} is running`);
  abandonRebuild(core, tx, projection, job, { status: "cancelled" });
}

export interface ProgressReport {
  eventsProcessed: number;
  totalEvents: number;
  completed: boolean;
}

/**
 * What a worker says about a rebuild of a read model that it keeps itself. Of a managed projection the engine counts itself.
 * @throws ApiError not_found, failed_precondition when none is running
 */
export function reportRebuild(
  core: Core,
  tx: Tx,
  environmentId: string,
  name: string,
  report: ProgressReport,
): void {
  const projection = findProjection(core, environmentId, name);
  const job = rebuildTrack(core, projection)?.job;
  if (job === undefined) throw new ApiError("failed_precondition", `no rebuild of ${name} is running`);
  if (projection.mode === "managed") return;
  const told = {
    ...job,
    events_processed: Math.max(job.events_processed, report.eventsProcessed),
    total_events: report.totalEvents > 0 ? report.totalEvents : job.total_events,
  };
  core.store.rebuilds.update(told);
  if (report.completed) finishRebuild(core, tx, projection, told);
  else announceProjection(core, tx, projection, "updated");
}
