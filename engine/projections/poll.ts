import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { EventRow } from "../store/events.ts";
import type { StateRow } from "../store/projection-states.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { Tx } from "../store/writer.ts";
import { passSaved, writeProgress } from "./advance.ts";
import { announceAdvance } from "./notices.ts";
import { GLOBAL_PARTITION } from "./partition.ts";
import { finishRebuild } from "./rebuild-end.ts";
import { requireWorkers } from "./save.ts";
import {
  findProjection,
  generationOf,
  isPendingUpTo,
  pendingEvents,
  workerTrack,
  type Track,
} from "./track.ts";

export interface Poll {
  environmentId: string;
  name: string;
  batchSize: number;
  /** Only events of this partition; undefined for all. */
  partition?: string | undefined;
  /** Events up to this one were given to the caller before. */
  afterSeq?: number | undefined;
}

export interface Delivery {
  projection: ProjectionRow;
  track: Track;
  events: { event: EventRow; partition: string }[];
  /** Nothing else is pending up to here. */
  scannedTo: number;
  /** The state that the events build on: of the partition asked for, or of the whole when there are no partitions. */
  state: StateRow | undefined;
}

/** Data of one delivery, characters; one event is always given. */
const maxDeliveryChars = 4 * 1024 * 1024;
/** Changes that one poll may make to get on; the next one goes on. */
const maxTurns = 100;

/**
 * Gives out the oldest events that are not done, and changes nothing about that: they are done when they are saved or
 * acknowledged. An event whose partition cannot be told is set aside as a dead letter.
 * @throws ApiError not_found, failed_precondition for a SQL projection, invalid_argument for a partition where there is none
 */
export async function pollEvents(core: Core, poll: Poll): Promise<Delivery> {
  for (let turn = 0; ; turn += 1) {
    const projection = requireWorkers(findProjection(core, poll.environmentId, poll.name));
    if (poll.partition !== undefined && !hasPartitions(projection)) {
      if (poll.partition !== GLOBAL_PARTITION || projection.mode === "external") {
        throw new ApiError(
          "invalid_argument",
          `partition: the projection ${poll.name} keeps no states by partition`,
        );
      }
    }
    const track = workerTrack(core, projection);
    const delivery: Delivery = {
      projection,
      track,
      events: [],
      scannedTo: track.cursorSeq,
      state: stateOf(core, projection, track, poll),
    };
    if (projection.status === "paused") return delivery;
    const pending = pendingEvents(core, track, {
      limit: poll.batchSize,
      maxBytes: maxDeliveryChars,
      partition: poll.partition,
      afterSeq: Math.max(poll.afterSeq ?? 0, core.projections.passed.get(track, poll.partition)),
    });
    const first = pending.events[0]?.event;
    if (poll.afterSeq === undefined) {
      const passed = (first ?? pending.undecodable?.event)?.seq;
      core.projections.passed.set(
        track,
        poll.partition,
        passed === undefined ? pending.scannedTo : passed - 1,
      );
    }
    const mayMove = pending.undecodable !== undefined || (first === undefined && track.job !== undefined);
    if (mayMove && turn < maxTurns && (await core.writer.write((tx) => moveOn(core, tx, poll)))) continue;
    core.projections.deliveries.given(
      track,
      pending.events.map(({ event }) => event.seq),
    );
    return { ...delivery, events: pending.events, scannedTo: pending.scannedTo };
  }
}

const hasPartitions = (projection: ProjectionRow) =>
  projection.mode === "managed" && projection.partition_key !== "";

function stateOf(core: Core, projection: ProjectionRow, track: Track, poll: Poll): StateRow | undefined {
  if (projection.mode !== "managed") return undefined;
  const partition = projection.partition_key === "" ? GLOBAL_PARTITION : poll.partition;
  return partition === undefined
    ? undefined
    : core.store.projectionStates.get(generationOf(track), partition);
}

/**
 * Passes what nobody has to save any more: events that are saved, those whose partition cannot be told, and the end of a
 * rebuild. Whether that changed something.
 */
function moveOn(core: Core, tx: Tx, poll: Poll): boolean {
  const projection = findProjection(core, poll.environmentId, poll.name);
  const track = workerTrack(core, projection);
  if (hasPartitions(projection)) {
    const progress = passSaved(core, tx, track);
    if (progress.cursorSeq <= track.cursorSeq) return false;
    announceAdvance(core, tx, writeProgress(core, tx, track, progress));
    return true;
  }
  if (track.job === undefined || isPendingUpTo(core, track, track.job.target_seq).pending !== false)
    return false;
  finishRebuild(core, tx, projection, track.job);
  return true;
}
