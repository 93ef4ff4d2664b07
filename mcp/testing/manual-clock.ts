import type { Clock } from "../../loopback/clock.ts";

export type ManualClock = Clock & {
  /** Lets `ms` milliseconds pass: whoever slept until then wakes, in order, and has run before this resolves. */
  pass(ms: number): Promise<void>;
  /** How many are asleep now. */
  readonly asleep: number;
};

/** A clock that stands still until a test lets time pass. */
export function manualClock(): ManualClock {
  let now = 0;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    nowMs: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { until: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", wake);
      }),
    pass: async (ms) => {
      const end = now + ms;
      for (;;) {
        await settle();
        const [next] = [...sleepers].filter(({ until }) => until <= end).sort((a, b) => a.until - b.until);
        if (next === undefined) break;
        now = next.until;
        next.wake();
      }
      now = end;
    },
    get asleep() {
      return sleepers.size;
    },
  };
}
