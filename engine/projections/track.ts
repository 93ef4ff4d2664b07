import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { isPattern, matchesPattern } from "../execute/pattern.ts";
import type { EventRow } from "../store/events.ts";
import type { Generation } from "../store/projection-states.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { RebuildRow } from "../store/rebuild-jobs.ts";
import { GLOBAL_PARTITION, partitionOf } from "./partition.ts";

/** One way through the events: that of the generation that is served, or that of a rebuild. */
export interface Track {
  projection: ProjectionRow;
  job: RebuildRow | undefined;
  generation: number;
  /** Every event of the track up to here is done. */
  cursorSeq: number;
}

/** @throws ApiError not_found, in the words that SDKs look for (section 1.4) */
export function findProjection(core: Core, environmentId: string, name: string): ProjectionRow {
  const row = core.store.projections.get(environmentId, name);
  if (row === undefined) throw new ApiError("not_found", "projection not found");
  return row;
}

export const liveTrack = (projection: ProjectionRow): Track => ({
  projection,
  job: undefined,
  generation: projection.generation,
  cursorSeq: projection.cursor_seq,
});

export function rebuildTrack(core: Core, projection: ProjectionRow): Track | undefined {
  const job = projection.rebuild_id === null ? undefined : core.store.rebuilds.get(projection.rebuild_id);
  return job && { projection, job, generation: job.generation, cursorSeq: job.cursor_seq };
}

/** What workers are given: while a rebuild runs, its events, for a save could not say which of two tracks it belongs to. */
export const workerTrack = (core: Core, projection: ProjectionRow): Track =>
  rebuildTrack(core, projection) ?? liveTrack(projection);

export const generationOf = (track: Track): Generation => ({
  environmentId: track.projection.environment_id,
  name: track.projection.name,
  generation: track.generation,
});

/** The partition that a rebuild is about, when it is about one only. */
export const onlyPartition = (track: Track): string | undefined => track.job?.partition_key || undefined;

/** The names that a projection's events have. */
export function namesOf(core: Core, projection: ProjectionRow): string[] {
  const wanted = JSON.parse(projection.events) as string[];
  if (!wanted.some(isPattern)) return wanted;
  return core.store.eventScanner
    .names(projection.environment_id)
    .filter((name) => wanted.some((pattern) => matchesPattern(pattern, name)));
}

/** Parts of the numbers that belong to a track, between two bounds; exclusive, inclusive. */
export function partsOf(track: Track, afterSeq: number, upToSeq: number): [number, number][] {
  const { job } = track;
  if (job === undefined) return [[afterSeq, upToSeq]];
  const replay: [number, number] = [
    Math.max(afterSeq, job.from_seq - 1),
    Math.min(upToSeq, job.to_seq, job.target_seq),
  ];
  // The rest of a partition is the served generation's business.
  const later: [number, number][] =
    job.partition_key === "" ? [[Math.max(afterSeq, job.target_seq), upToSeq]] : [];
  return [replay, ...later].filter(([after, upTo]) => upTo > after);
}

export interface Wanted {
  limit: number;
  maxBytes: number;
  /** Only events of this partition. */
  partition?: string | undefined;
  /** Inclusive; the newest event otherwise. */
  upToSeq?: number | undefined;
  /** Exclusive, beyond the cursor: what comes before is known already. */
  afterSeq?: number | undefined;
}

export interface Pending {
  events: { event: EventRow; partition: string }[];
  /** Nothing else is pending up to here. */
  scannedTo: number;
  /** The first pending event has no partition that could be told. */
  undecodable?: { event: EventRow; problem: string };
}

/** Events looked at in one call: it bounds the time the process answers nothing else. */
const maxLookedAt = 20_000;
const window = 2_000;
/** Partition keys evaluated in one call. */
const maxDecoded = 2_000;
/** Events read at once, and their bytes: many of them may be done already. */
const fewestScanned = 64;
const leastBytesScanned = 1024 * 1024;

/**
 * Events of a track that are not done yet, oldest first. An event that cannot be decoded ends the list; when it is the
 * first one it is named, for it has to be set aside before anything goes on.
 */
export function pendingEvents(core: Core, track: Track, wanted: Wanted): Pending {
  const { eventScanner, projectionStates } = core.store;
  const { projection } = track;
  const of = generationOf(track);
  const only = wanted.partition ?? onlyPartition(track);
  const saved = new Map<string, number>();
  const isSaved = (partition: string, seq: number) => {
    if (projection.mode !== "managed" || projection.partition_key === "") return false;
    let last = saved.get(partition);
    if (last === undefined) saved.set(partition, (last = projectionStates.lastSeq(of, partition)));
    return last >= seq;
  };

  const upToSeq = Math.min(wanted.upToSeq ?? Number.MAX_SAFE_INTEGER, eventScanner.headSeq());
  const fromSeq = Math.max(track.cursorSeq, wanted.afterSeq ?? 0);
  const names = namesOf(core, projection);
  const pending: Pending = { events: [], scannedTo: fromSeq };
  // While one partition is rebuilt, the others wait.
  if (onlyPartition(track) !== undefined && only !== onlyPartition(track)) return pending;
  let bytes = 0;
  let lookedAt = 0;
  let decodedKeys = 0;
  for (const [after, upTo] of partsOf(track, fromSeq, upToSeq)) {
    for (let at = after; at < upTo;) {
      if (lookedAt >= maxLookedAt) return pending;
      const end = Math.min(upTo, at + window);
      const { events, scannedTo } = eventScanner.scan({
        environmentId: projection.environment_id,
        names,
        afterSeq: at,
        upToSeq: end,
        limit: Math.max(wanted.limit, fewestScanned),
        maxBytes: Math.max(wanted.maxBytes, leastBytesScanned),
      });
      for (const event of events) {
        if (projection.partition_key !== "" && (decodedKeys += 1) > maxDecoded) return pending;
        const decoded = partitionOf(projection.partition_key, event);
        if ("problem" in decoded && projection.mode === "managed") {
          // Of which partition it is nobody knows: who asks for one partition passes it by.
          if (only !== undefined) continue;
          if (pending.events.length === 0) pending.undecodable = { event, problem: decoded.problem };
          return pending;
        }
        // Who keeps the read model knows what to do with such an event.
        const partition = "partition" in decoded ? decoded.partition : GLOBAL_PARTITION;
        if ((only !== undefined && partition !== only) || isSaved(partition, event.seq)) {
          if (pending.events.length === 0) pending.scannedTo = event.seq;
          continue;
        }
        bytes += event.data.length;
        if (bytes > wanted.maxBytes && pending.events.length > 0) return pending;
        pending.events.push({ event, partition });
        pending.scannedTo = event.seq;
        if (pending.events.length >= wanted.limit) return pending;
      }
      lookedAt += scannedTo - at;
      at = scannedTo;
      pending.scannedTo = scannedTo;
    }
  }
  pending.scannedTo = Math.max(pending.scannedTo, upToSeq);
  return pending;
}

/** Whether an event is pending up to a number; `undefined` when more would have to be looked at than one call may. */
export function isPendingUpTo(
  core: Core,
  track: Track,
  seq: number,
  partition?: string,
  afterSeq = 0,
): { pending: boolean | undefined; firstSeq: number } {
  const found = pendingEvents(core, track, { limit: 1, maxBytes: 1, upToSeq: seq, partition, afterSeq });
  const first = found.undecodable?.event ?? found.events[0]?.event;
  const end = Math.min(seq, core.store.eventScanner.headSeq());
  return {
    pending: first === undefined ? (found.scannedTo >= end ? false : undefined) : true,
    firstSeq: first?.seq ?? found.scannedTo + 1,
  };
}

/** A partition as callers name it: "" is the global one. */
export const partitionName = (partition: string | undefined): string =>
  partition === undefined || partition === "" ? GLOBAL_PARTITION : partition;
