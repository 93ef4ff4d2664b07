import { setTimeout as timer } from "node:timers/promises";

/** Time as a parameter: everything here that waits takes one, so tests can decide what time it is. */
export interface Clock {
  /** Milliseconds from an arbitrary start; never goes back. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await timer(ms, undefined, signal === undefined ? {} : { signal });
    } catch {
      // Aborted: whoever aborted no longer needs the rest of the wait.
    }
  },
};

/** True when `event` resolved within `ms` milliseconds, false when the time ran out first. Leaves no timer behind. */
export async function within(event: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const cancel = new AbortController();
  try {
    return await Promise.race([event.then(() => true), clock.sleep(ms, cancel.signal).then(() => false)]);
  } finally {
    cancel.abort();
  }
}
