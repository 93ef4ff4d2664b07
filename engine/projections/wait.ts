import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { ProjectionRow } from "../store/projections.ts";
import { findProjection, isPendingUpTo, liveTrack, type Track } from "./track.ts";

/** Callers that may wait at the same time; each holds a connection. */
const maxWaiting = 256;
const waiting = new WeakMap<Core, number>();

/**
 * Looks at once and after every change, until `look` answers something. `undefined` when the time is over or the caller gone.
 * @throws ApiError resource_exhausted, and what `look` throws
 */
export async function waitUntil<T>(
  core: Core,
  look: () => T | undefined,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<T | undefined> {
  const now = look();
  if (now !== undefined || timeoutMs === 0 || gone.aborted) return now;
  const others = waiting.get(core) ?? 0;
  if (others >= maxWaiting) throw new ApiError("resource_exhausted", `more than ${maxWaiting} callers wait`);
  waiting.set(core, others + 1);
  let end: () => void = () => {};
  try {
    return await new Promise<T | undefined>((resolve, reject) => {
      const stopListening = core.projections.onMove(() => {
        try {
          const seen = look();
          if (seen !== undefined) resolve(seen);
        } catch (error) {
          reject(error);
        }
      });
      const giveUp = () => resolve(undefined);
      const cancel = core.clock.after(timeoutMs, giveUp);
      gone.addEventListener("abort", giveUp, { once: true });
      end = () => {
        stopListening();
        cancel();
        gone.removeEventListener("abort", giveUp);
      };
    });
  } finally {
    end();
    waiting.set(core, (waiting.get(core) ?? 1) - 1);
  }
}

export interface CatchUp {
  projection: ProjectionRow;
  caughtUp: boolean;
  /** Up to here nothing is pending. */
  currentSeq: number;
}

/** Whether everything up to a number is in the read model that is served. */
export function catchUpOf(
  core: Core,
  environmentId: string,
  { name, minSeq, partition }: { name: string; minSeq: number; partition: string | undefined },
): CatchUp {
  const projection = findProjection(core, environmentId, name);
  const { pending, firstSeq } = firstPending(core, liveTrack(projection), minSeq, partition);
  const caughtUp = pending === false && core.store.eventScanner.headSeq() >= minSeq;
  return {
    projection,
    caughtUp,
    currentSeq: caughtUp ? Math.max(minSeq, projection.last_event_seq) : Math.max(0, firstSeq - 1),
  };
}

/** How many events were stored since the first one that the projection has not done; 0 when there is none. */
export function lagOf(core: Core, track: Track): number {
  const head = core.store.eventScanner.headSeq();
  const { pending, firstSeq } = firstPending(core, track, head, undefined);
  return pending === false ? 0 : Math.max(0, head - firstSeq + 1);
}

/** `isPendingUpTo` that remembers what it found. Not for the inside of a change, which may be taken back. */
function firstPending(
  core: Core,
  track: Track,
  seq: number,
  partition: string | undefined,
): { pending: boolean | undefined; firstSeq: number } {
  const { passed } = core.projections;
  const found = isPendingUpTo(core, track, seq, partition, passed.get(track, partition));
  if (found.firstSeq - 1 > passed.get(track, partition)) passed.set(track, partition, found.firstSeq - 1);
  return found;
}
