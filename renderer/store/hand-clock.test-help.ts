import type { Clock } from "./watch.ts";

/** A clock that moves only when a test moves it. */
export function handClock(
  startMs = 0,
): Clock & { advance(ms: number): Promise<void>; readonly waiting: number } {
  let nowMs = startMs;
  let timers: { at: number; task: () => void }[] = [];
  const takeDue = () => {
    const due = timers.filter((timer) => timer.at <= nowMs).sort((a, b) => a.at - b.at);
    timers = timers.filter((timer) => timer.at > nowMs);
    return due;
  };
  return {
    now: () => nowMs,
    later(ms, task) {
      const timer = { at: nowMs + ms, task };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    get waiting() {
      return timers.length;
    },
    async advance(ms) {
      nowMs += ms;
      // What a task plans for at once is due too.
      for (let due = takeDue(); due.length > 0; due = takeDue()) {
        for (const timer of due) timer.task();
        await settle();
      }
      await settle();
    },
  };
}

/** Lets promises that are already resolved run on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
