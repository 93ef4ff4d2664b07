import type { Tx } from "../store/writer.ts";
import type { Track } from "./track.ts";

/**
 * What workers were given and have not reported yet. Lives in memory: whoever asks after a restart is given it again. A
 * report cannot say which generation it was made for, so when that changes reports are refused until somebody asks again.
 */
export interface Deliveries {
  given(track: Track, seqs: readonly number[]): void;
  /** Whether a report about events up to this one can come from who was given this generation. */
  mayReport(track: Track, seq: number): boolean;
  /** How many given events a report ends; they are forgotten with the change. */
  settle(tx: Tx, track: Track, upToSeq: number): number;
  /** The generation that workers are given is another one from now on. */
  changed(environmentId: string, name: string): void;
}

interface Given {
  generation: number;
  highestSeq: number;
  seqs: Set<number>;
}

export function createDeliveries(): Deliveries {
  const given = new Map<string, Given>();
  const fenced = new Set<string>();
  const keyOf = (environmentId: string, name: string) => `${environmentId}\n${name}`;
  const trackKey = ({ projection }: Track) => keyOf(projection.environment_id, projection.name);
  const entryOf = (track: Track) => {
    const entry = given.get(trackKey(track));
    return entry?.generation === track.generation ? entry : undefined;
  };
  return {
    given: (track, seqs) => {
      const entry = entryOf(track) ?? {
        generation: track.generation,
        highestSeq: 0,
        seqs: new Set<number>(),
      };
      given.set(trackKey(track), entry);
      for (const seq of entry.seqs) if (seq <= track.cursorSeq) entry.seqs.delete(seq);
      for (const seq of seqs) {
        entry.seqs.add(seq);
        entry.highestSeq = Math.max(entry.highestSeq, seq);
      }
    },
    mayReport: (track, seq) => {
      if (track.job === undefined && !fenced.has(trackKey(track))) return true;
      return seq <= (entryOf(track)?.highestSeq ?? 0);
    },
    settle: (tx, track, upToSeq) => {
      const seqs = entryOf(track)?.seqs ?? new Set();
      const done = [...seqs].filter((seq) => seq <= upToSeq);
      tx.afterCommit(() => {
        for (const seq of done) seqs.delete(seq);
      });
      return done.length;
    },
    changed: (environmentId, name) => {
      const key = keyOf(environmentId, name);
      fenced.add(key);
      given.delete(key);
    },
  };
}
