import type { Clock } from "../../loopback/clock.ts";

/** A clock that a test moves; sleepers wake when it passes them. */
export function handClock() {
  let now = 0;
  const sleepers = new Set<{ at: number; ms: number; wake: () => void }>();
  const clock: Clock = {
    nowMs: () => now,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        const sleeper = { at: now + ms, ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          wake();
        });
        if (signal?.aborted) wake();
      }),
  };
  return {
    clock,
    settle,
    sleeping: () => [...sleepers].map(({ ms }) => ms),
    async move(ms: number) {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settle();
    },
  };
}

/** Lets everything run that waits for nothing but its turn. */
const settle = async () => {
  for (let turn = 0; turn < 80; turn += 1) await Promise.resolve();
};
