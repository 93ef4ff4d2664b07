import type { BridgeAnswer } from "../../bridge/contract/port.ts";
import type { Clock } from "../../loopback/clock.ts";

/** Stopping a terminal climbs a ladder of several seconds. What takes longer says that the bridge is at it. */
const ANSWER_WITHIN_MS = 20_000;

type Answers = Exclude<BridgeAnswer, { type: "failed" | "at_it" }>;

/** Requests to the bridge that wait for their answer, by their number: what is asked first is not always answered first. */
export interface PendingAnswers {
  /**
   * Sends a request under the number it is given, and gives its answer.
   * @throws Error why there is none: the bridge failed, it has ended, or nothing was heard of it for too long
   */
  ask<T extends Answers["type"]>(
    type: T,
    send: (requestId: number) => void,
  ): Promise<Extract<Answers, { type: T }>>;
  /** One that nobody waits for any more is dropped. */
  settle(answer: BridgeAnswer): void;
  /** The bridge is gone: nothing is answered any more. */
  close(): void;
}

export function pendingAnswers(clock: Clock): PendingAnswers {
  const waiting = new Map<number, (answer: BridgeAnswer) => void>();
  const over = new AbortController();
  let last = 0;

  /** Undefined when nothing was heard for so long, or the bridge ended. */
  async function answerTo(send: (requestId: number) => void): Promise<BridgeAnswer | undefined> {
    const id = (last += 1);
    const done = new AbortController();
    const until = AbortSignal.any([over.signal, done.signal]);
    let answer: BridgeAnswer | undefined;
    let heardMs = clock.nowMs();
    waiting.set(id, (given) => {
      heardMs = clock.nowMs();
      if (given.type === "at_it") return;
      waiting.delete(id); // the first counts
      answer = given;
      done.abort();
    });
    try {
      send(id);
      for (let leftMs = ANSWER_WITHIN_MS; leftMs > 0 && !until.aborted;) {
        await clock.sleep(leftMs, until);
        leftMs = heardMs + ANSWER_WITHIN_MS - clock.nowMs();
      }
      return answer;
    } finally {
      waiting.delete(id);
    }
  }

  return {
    async ask<T extends Answers["type"]>(type: T, send: (requestId: number) => void) {
      if (over.signal.aborted) throw new Error("the terminal bridge does not run");
      const answer = await answerTo(send);
      if (answer === undefined)
        throw new Error(
          `the terminal bridge ${over.signal.aborted ? "ended" : "did not answer"}; whether it was done is not known`,
        );
      if (answer.type === "failed") throw new Error(answer.reason);
      if (answer.type !== type)
        throw new Error(`the terminal bridge answered ${answer.type} instead of ${type}`);
      return answer as Extract<Answers, { type: T }>; // safe: its type was just looked at
    },
    settle: (answer) => waiting.get(answer.request_id)?.(answer),
    close: () => over.abort(),
  };
}
