import type { FromBridge } from "../../bridge/contract/port.ts";
import type { Clock } from "../../loopback/clock.ts";

/** Stopping a terminal climbs a ladder of several seconds. */
const ANSWER_WITHIN_MS = 20_000;

/** Questions to the bridge that wait for their answer, by what the answer will be. */
export interface PendingAnswers {
  /** The next answer of this name, or undefined when none came in time or the bridge ended. Answers come in order. */
  wait(name: string): Promise<FromBridge | undefined>;
  settle(name: string, answer: FromBridge): void;
  /** The bridge is gone: nothing is answered any more. */
  close(): void;
}

export function pendingAnswers(clock: Clock): PendingAnswers {
  const waiting = new Map<string, ((answer: FromBridge | undefined) => void)[]>();
  const over = new AbortController();

  function take(name: string): ((answer: FromBridge | undefined) => void) | undefined {
    const queue = waiting.get(name);
    const first = queue?.shift();
    if (queue?.length === 0) waiting.delete(name);
    return first;
  }

  return {
    async wait(name) {
      if (over.signal.aborted) return undefined;
      let settle: (answer: FromBridge | undefined) => void = () => {};
      const answered = new Promise<FromBridge | undefined>((resolve) => (settle = resolve));
      waiting.set(name, [...(waiting.get(name) ?? []), settle]);
      const done = new AbortController();
      const timeout = clock
        .sleep(ANSWER_WITHIN_MS, AbortSignal.any([over.signal, done.signal]))
        .then(() => undefined);
      try {
        return await Promise.race([answered, timeout]);
      } finally {
        done.abort();
      }
    },
    settle: (name, answer) => take(name)?.(answer),
    close() {
      over.abort();
      waiting.clear();
    },
  };
}
