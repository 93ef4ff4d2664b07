import type { Track } from "./track.ts";

/**
 * Up to where a track is known to have no pending event beyond its cursor, so that nobody looks there again. What was found
 * out holds for ever: events only come at the end, and what is done stays done.
 */
export interface Passed {
  /** 0 when nothing is known. */
  get(track: Track, partition: string | undefined): number;
  set(track: Track, partition: string | undefined, seq: number): void;
}

const maxEntries = 10_000;

export function createPassed(): Passed {
  const passed = new Map<string, number>();
  const keyOf = ({ projection, generation, job }: Track, partition: string | undefined) =>
    JSON.stringify([
      projection.environment_id,
      projection.name,
      projection.created_at,
      generation,
      projection.events,
      projection.partition_key,
      job?.id,
      partition,
    ]);
  return {
    get: (track, partition) => passed.get(keyOf(track, partition)) ?? 0,
    set: (track, partition, seq) => {
      if (passed.size >= maxEntries) passed.clear();
      passed.set(keyOf(track, partition), seq);
    },
  };
}
