import type { Clock } from "../clock.ts";

/** A clock that a test moves by hand. */
export interface FakeClock extends Clock {
  /** Moves time forward, running what falls due in order of its time. Waits for nothing that was begun. */
  advance(ms: number): void;
  /** Sets the wall clock without running anything, as a jump of the real one would. */
  jump(ms: number): void;
}

export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let now = startMs;
  let elapsed = 0;
  let tasks: { atElapsed: number; task: () => void }[] = [];
  return {
    nowMs: () => now,
    elapsedMs: () => elapsed,
    after: (delayMs, task) => {
      const entry = { atElapsed: elapsed + Math.max(0, delayMs), task };
      tasks.push(entry);
      return () => {
        tasks = tasks.filter((other) => other !== entry);
      };
    },
    advance: (ms) => {
      const until = elapsed + ms;
      for (;;) {
        const next = tasks
          .filter(({ atElapsed }) => atElapsed <= until)
          .sort((a, b) => a.atElapsed - b.atElapsed)[0];
        if (next === undefined) break;
        tasks = tasks.filter((other) => other !== next);
        now += next.atElapsed - elapsed;
        elapsed = next.atElapsed;
        next.task();
      }
      now += until - elapsed;
      elapsed = until;
    },
    jump: (ms) => {
      now += ms;
    },
  };
}
