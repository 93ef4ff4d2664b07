import type { Core } from "../core.ts";
import type { EventRow } from "../store/events.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { Tx } from "../store/writer.ts";
import { partitionOf } from "./partition.ts";
import { finishRebuild } from "./rebuild-end.ts";
import { generationOf, isPendingUpTo, namesOf, onlyPartition, partsOf, type Track } from "./track.ts";
import { projectionDeadLetter } from "./undecodable.ts";

/** How far a track has come. */
export interface Progress {
  cursorSeq: number;
  lastEventSeq: number;
  lastEventId: string | null;
  /** Events that are done since. */
  processed: number;
  /** Why the last event that could not be decoded could not. */
  problem?: string;
}

/** Writes how far a track has come; a rebuild that has everything is finished. Answers the projection as it is now. */
export function writeProgress(core: Core, tx: Tx, track: Track, progress: Progress): ProjectionRow {
  const { projection, job } = track;
  if (job === undefined) {
    const row: ProjectionRow = {
      ...projection,
      cursor_seq: Math.max(projection.cursor_seq, progress.cursorSeq),
      last_event_seq: progress.lastEventSeq,
      last_event_id: progress.lastEventId,
      error_message: progress.problem ?? projection.error_message,
      updated_at: tx.nowMs,
    };
    core.store.projections.put(row);
    return row;
  }
  const moved = {
    ...job,
    cursor_seq: Math.max(job.cursor_seq, progress.cursorSeq),
    last_event_seq: progress.lastEventSeq,
    last_event_id: progress.lastEventId,
    events_processed: job.events_processed + progress.processed,
  };
  core.store.rebuilds.update(moved);
  const next: Track = { ...track, job: moved, cursorSeq: moved.cursor_seq };
  // The engine goes on with the old generation of a SQL projection meanwhile: the new one has to be as far.
  const upTo = projection.type === "sql" ? Math.max(job.target_seq, projection.cursor_seq) : job.target_seq;
  const { pending } = isPendingUpTo(core, next, upTo);
  if (pending === false) return finishRebuild(core, tx, projection, moved);
  if (progress.problem === undefined) return projection;
  const row: ProjectionRow = { ...projection, error_message: progress.problem, updated_at: tx.nowMs };
  core.store.projections.put(row);
  return row;
}

/** Events passed after one save; the next save goes on where this one stopped. */
const maxPassed = 1_000;
const window = 2_000;
const maxWindows = 10;
const maxBytes = 16 * 1024 * 1024;

/**
 * Moves the cursor of a partitioned track over events that are in the state of their partition, up to the first one that is
 * not. Events whose partition cannot be told become dead letters.
 */
export function passSaved(core: Core, tx: Tx, track: Track): Progress {
  const { projection } = track;
  const { eventScanner, projectionStates } = core.store;
  const names = namesOf(core, projection);
  const only = onlyPartition(track);
  const lastSeqs = new Map<string, number>();
  const progress: Progress = {
    cursorSeq: track.cursorSeq,
    lastEventSeq: track.job?.last_event_seq ?? projection.last_event_seq,
    lastEventId: track.job?.last_event_id ?? projection.last_event_id,
    processed: 0,
  };
  /** Whether nothing has to be done about the event any more. */
  const pass = (event: EventRow): boolean => {
    const decoded = partitionOf(projection.partition_key, event);
    if ("problem" in decoded) {
      if (only !== undefined) return true;
      projectionDeadLetter(core, tx, projection, event, "projection_decode", decoded.problem);
      progress.problem = `event ${event.id}: ${decoded.problem}`;
    } else {
      const { partition } = decoded;
      if (only !== undefined && partition !== only) return true;
      let last = lastSeqs.get(partition);
      if (last === undefined) {
        last = projectionStates.lastSeq(generationOf(track), partition);
        lastSeqs.set(partition, last);
      }
      if (last < event.seq) return false;
    }
    progress.processed += 1;
    progress.lastEventSeq = event.seq;
    progress.lastEventId = event.id;
    return true;
  };
  let passed = 0;
  let windows = 0;
  for (const [after, upTo] of partsOf(track, track.cursorSeq, eventScanner.headSeq())) {
    for (let at = after; at < upTo;) {
      if (passed >= maxPassed || windows >= maxWindows) return progress;
      windows += 1;
      const { events, scannedTo } = eventScanner.scan({
        environmentId: projection.environment_id,
        names,
        afterSeq: at,
        upToSeq: Math.min(upTo, at + window),
        limit: maxPassed,
        maxBytes,
      });
      for (const event of events) {
        if (!pass(event)) return progress;
        progress.cursorSeq = event.seq;
        passed += 1;
      }
      at = scannedTo;
      progress.cursorSeq = scannedTo;
    }
  }
  return progress;
}
