/** Time as the engine sees it. Injected, so that tests move it by hand instead of sleeping. */
export interface Clock {
  /** Milliseconds since 1970, wall clock. May jump. */
  nowMs(): number;
  /** Milliseconds since some moment of this process. Never jumps. */
  elapsedMs(): number;
  /** Runs `task` once after at least `delayMs`; the answer takes it back. A delay below 0 counts as 0. */
  after(delayMs: number, task: () => void): () => void;
}

/** setTimeout turns longer delays into 1 ms. */
const longestDelayMs = 2_147_483_647;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after: (delayMs, task) => {
    const handle = setTimeout(task, Math.min(Math.max(0, delayMs), longestDelayMs));
    return () => clearTimeout(handle);
  },
};

/** RFC 3339 in UTC with milliseconds, the engine's only way to write a time. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
