import { toTimestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { StateRow } from "../store/projection-states.ts";
import type { ProjectionRow } from "../store/projections.ts";
import { generationOf, liveTrack } from "./track.ts";

/** Of each partition so many states of before are kept, of so many bytes together. */
export const PAST_STATES_KEPT = { states: 32, bytes: 1024 * 1024 } as const;

/**
 * What a partition's state was at a moment: what a reader would have been answered then. Undefined before the first save.
 * @throws ApiError failed_precondition when the engine does not keep the projection's state; out_of_range for a moment
 *   before the projection, before its last rebuild, or of which no state is kept any more
 */
export function stateAt(
  core: Core,
  projection: ProjectionRow,
  partition: string,
  atMs: number,
): StateRow | undefined {
  const { name } = projection;
  if (projection.type !== "code" || projection.mode !== "managed") {
    throw new ApiError("failed_precondition", `as_of: the state of ${name} is not kept as a whole`);
  }
  if (atMs < projection.created_at) {
    throw new ApiError(
      "out_of_range",
      `as_of: ${name} was registered at ${toTimestamp(projection.created_at)}`,
    );
  }
  const rebuiltMs = core.store.rebuilds.lastCompletedAt(projection, partition);
  if (rebuiltMs !== undefined && atMs < rebuiltMs) {
    throw new ApiError("out_of_range", `as_of: ${name} was rebuilt at ${toTimestamp(rebuiltMs)}`);
  }
  const { projectionStates } = core.store;
  const of = generationOf(liveTrack(projection));
  const newest = projectionStates.get(of, partition);
  // What a rebuild has built is served since its end, whenever it was saved.
  if (newest === undefined || newest.updated_at <= atMs) return newest;
  const past = projectionStates.pastAt(of, partition, atMs);
  if (past !== undefined) return past;
  const oldest = projectionStates.oldestPast(of, partition) ?? newest;
  if (oldest.version === 1) return undefined;
  throw new ApiError(
    "out_of_range",
    `as_of: the states of ${name} are kept from ${toTimestamp(oldest.updated_at)} on`,
  );
}
