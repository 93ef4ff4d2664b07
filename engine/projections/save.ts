import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { JsonText } from "../json/json-text.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { Tx } from "../store/writer.ts";
import { passSaved, writeProgress, type Progress } from "./advance.ts";
import { announceAdvance } from "./notices.ts";
import { GLOBAL_PARTITION } from "./partition.ts";
import { PAST_STATES_KEPT } from "./past.ts";
import { findProjection, generationOf, onlyPartition, partitionName, workerTrack } from "./track.ts";

/** Up to which event something is done. One of the two is enough. */
export interface Position {
  eventId: string;
  /** 0 when only the id is given. */
  seq: number;
}

/**
 * Saves what the events of a partition add up to, and with it that these events are done: both or neither.
 * @throws ApiError not_found; failed_precondition for a projection whose state is not the engine's; invalid_argument;
 *   aborted when somebody else was faster, or a rebuild began or ended since the events were given out
 */
export function saveState(
  core: Core,
  tx: Tx,
  environmentId: string,
  save: { name: string; partition: string; state: JsonText; position: Position; timeMs: number | undefined },
): void {
  const projection = requireWorkers(findProjection(core, environmentId, save.name));
  if (projection.mode !== "managed") {
    throw new ApiError(
      "failed_precondition",
      `the projection ${save.name} is external: acknowledge its events`,
    );
  }
  const partition = partitionName(save.partition);
  if (projection.partition_key === "" && partition !== GLOBAL_PARTITION) {
    throw new ApiError("invalid_argument", `partition_key: the projection ${save.name} has no partitions`);
  }
  const track = workerTrack(core, projection);
  const { seq, eventId } = resolvePosition(core, environmentId, save.position);
  const only = onlyPartition(track);
  if (!core.projections.deliveries.mayReport(track, seq) || (only !== undefined && only !== partition)) {
    throw stale(save.name);
  }
  const of = generationOf(track);
  const before = core.store.projectionStates.get(of, partition);
  if (before !== undefined && before.last_event_seq > seq) {
    throw new ApiError(
      "aborted",
      `the state of ${save.name} is at event ${before.last_event_seq} already: poll again`,
    );
  }
  // The same save once more, because its answer was lost.
  if (before?.last_event_seq === seq) return;
  // A state that is being built is answered to nobody.
  if (track.job === undefined) core.store.projectionStates.keepPast(of, partition, PAST_STATES_KEPT);
  core.store.projectionStates.put({
    environment_id: environmentId,
    name: save.name,
    generation: track.generation,
    partition_key: partition,
    state: save.state.text,
    last_event_id: eventId,
    last_event_seq: seq,
    last_event_time: save.timeMs ?? null,
    version: (before?.version ?? 0) + 1,
    updated_at: tx.nowMs,
  });
  const progress: Progress =
    projection.partition_key === ""
      ? {
          cursorSeq: seq,
          lastEventSeq: seq,
          lastEventId: eventId,
          processed: core.projections.deliveries.settle(tx, track, seq),
        }
      : passSaved(core, tx, track);
  announceAdvance(core, tx, writeProgress(core, tx, track, progress));
}

/**
 * Says that an external projection has taken every event up to this one. What was said before stays true.
 * @throws ApiError like `saveState`
 */
export function acknowledge(
  core: Core,
  tx: Tx,
  environmentId: string,
  name: string,
  position: Position,
): void {
  const projection = requireWorkers(findProjection(core, environmentId, name));
  if (projection.mode !== "external") {
    throw new ApiError("failed_precondition", `the projection ${name} is managed: save its state`);
  }
  const track = workerTrack(core, projection);
  const { seq, eventId } = resolvePosition(core, environmentId, position);
  if (!core.projections.deliveries.mayReport(track, seq)) throw stale(name);
  if (seq <= track.cursorSeq) return;
  const processed = core.projections.deliveries.settle(tx, track, seq);
  const progress = { cursorSeq: seq, lastEventSeq: seq, lastEventId: eventId, processed };
  announceAdvance(core, tx, writeProgress(core, tx, track, progress));
}

/** @throws ApiError failed_precondition for a projection that the engine runs itself */
export function requireWorkers(projection: ProjectionRow): ProjectionRow {
  if (projection.type === "code") return projection;
  throw new ApiError("failed_precondition", `the engine itself applies the events of ${projection.name}`);
}

/** A save of an event that is not there would pass events that nobody has seen. */
function resolvePosition(
  core: Core,
  environmentId: string,
  { eventId, seq }: Position,
): { eventId: string | null; seq: number } {
  const event = eventId === "" ? undefined : core.store.events.get(environmentId, eventId);
  if (event !== undefined && seq !== 0 && seq !== event.seq) {
    throw new ApiError(
      "invalid_argument",
      `last_event_seq: the event ${eventId} has the number ${event.seq}`,
    );
  }
  // Retention may have taken the event meanwhile; its number still counts.
  const at = event?.seq ?? seq;
  if (at === 0) throw new ApiError("invalid_argument", "last_event_seq: is required");
  if (at > core.store.eventScanner.headSeq()) {
    throw new ApiError("invalid_argument", `last_event_seq: there is no event ${at} yet`);
  }
  return { eventId: eventId === "" ? null : eventId, seq: at };
}

const stale = (name: string) =>
  new ApiError(
    "aborted",
    `a rebuild of ${name} began or ended since these events were given out: poll again`,
  );
