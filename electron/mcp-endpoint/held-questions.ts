import { randomUUID } from "node:crypto";
import type { Clock } from "../../loopback/clock.ts";
import type { Answer, Attendance } from "../consent/consent.ts";

/**
 * How long a caller's request is held while a person thinks, and how often its client comes back by itself. Clients give
 * up after 60 s unless told otherwise; a 2026-07-28 client comes back 10 times at most.
 */
export interface Patience {
  readonly holdMs: number;
  readonly rounds: number;
}
export const MODERN_PATIENCE: Patience = { holdMs: 25_000, rounds: 9 };
export const HANDSHAKE_PATIENCE: Patience = { holdMs: 50_000, rounds: 0 };

/** A client that was told to come back does so at once; one that has not in this time, in ms, has gone. */
export const BACK_WITHIN_MS = 30_000;
/** How long an outcome is kept for a caller that was not there to hear it, in ms. */
const OUTCOME_KEPT_MS = 300_000;
/** Questions and outcomes that are kept in all; more than can be asked at once. */
const MAX_HELD = 256;

/** A question of one call. At most one request of its caller waits for it at a time. */
export interface Held {
  /** Identifier of the call that it belongs to, however often its caller comes back. */
  readonly callId: string;
}

interface Entry extends Held {
  readonly key: string;
  readonly caller: string;
  readonly connection: string;
  readonly gone: AbortController;
  readonly answer: Promise<Answer>;
  settled: boolean;
  /** A request waits for it now. */
  attended: boolean;
  /** Approved, and a request is there to take it: from now on it waits to the end. */
  taking: boolean;
  rounds: number;
  /** What the caller has to bring to be let in again without asking anew. Used once. */
  state: string | undefined;
  /** Wakes whoever waits for a request to be there. */
  arrive: () => void;
  /** Ends what counts the time in which nobody attends. */
  returned: AbortController;
}

/** What came of waiting: the answer, "come back by yourself with this", or "call again". */
export type Waited = { readonly answer: Answer } | { readonly comeBack: string } | { readonly pending: true };

export interface HeldQuestions {
  /** Asks, and keeps what was asked. `ask` is called at once. */
  open(
    about: {
      readonly key: string;
      readonly caller: string;
      readonly connection: string;
      readonly callId: string;
    },
    ask: (signal: AbortSignal, attendance: Attendance) => Promise<Answer>,
  ): Held;
  /**
   * The question of the same caller's identical call for which no request waits now. With a state, only the one that was
   * given it, once; "unknown" when there is none.
   */
  find(key: string, state: string | undefined): Held | undefined | "unknown";
  /** Waits as long as this caller can. When the signal aborts meanwhile, the question closes. */
  wait(held: Held, signal: AbortSignal, patience: Patience | undefined): Promise<Waited>;
  /** Closes the questions of a caller, of a connection, or all: nothing of it can be approved or taken any more. */
  drop(of?: { readonly caller: string } | { readonly connection: string }): void;
  readonly count: number;
}

/** Questions whose callers cannot wait as long as a person thinks. */
export function heldQuestions(clock: Clock): HeldQuestions {
  const entries = new Map<Held, Entry>();

  function attendanceOf(entry: () => Entry): Attendance {
    return {
      async arrived(deadlineMs) {
        const { gone } = entry();
        const late = new AbortController();
        const stop = () => late.abort();
        gone.signal.addEventListener("abort", stop);
        const arrived = new Promise<void>((resolve) => (entry().arrive = resolve));
        try {
          if (!entry().attended)
            await Promise.race([arrived, clock.sleep(Math.max(0, deadlineMs - clock.nowMs()), late.signal)]);
          entry().taking = entry().attended && !gone.signal.aborted;
          return entry().taking;
        } finally {
          late.abort();
          gone.signal.removeEventListener("abort", stop);
        }
      },
      askedAnew() {
        entry().taking = false;
      },
    };
  }

  /** Nobody attends: after a while the question closes, or its outcome is forgotten. */
  function leave(entry: Entry, afterMs: number): void {
    entry.attended = false;
    entry.returned = new AbortController();
    const { signal } = entry.returned;
    void clock.sleep(afterMs, signal).then(() => {
      if (!signal.aborted) forget(entry);
    });
  }

  function forget(entry: Entry): void {
    entries.delete(entry);
    entry.returned.abort();
    entry.gone.abort(new Error("nobody waits for the answer"));
  }

  function makeRoom(): void {
    if (entries.size < MAX_HELD) return;
    for (const entry of entries.values()) if (entry.settled && !entry.attended) return forget(entry);
  }

  return {
    open({ key, caller, connection, callId }, ask) {
      makeRoom();
      const gone = new AbortController();
      const entry: Entry = {
        key,
        caller,
        connection,
        callId,
        gone,
        answer: Promise.resolve()
          .then(() =>
            ask(
              gone.signal,
              attendanceOf(() => entry),
            ),
          )
          .finally(() => (entry.settled = true)),
        settled: false,
        attended: true,
        taking: false,
        rounds: 0,
        state: undefined,
        arrive: () => {},
        returned: new AbortController(),
      };
      entry.answer.catch(() => {}); // whoever waits for it hears it; nobody may
      entries.set(entry, entry);
      return entry;
    },
    find(key, state) {
      for (const entry of entries.values()) {
        if (entry.key !== key || entry.attended) continue;
        if (state === undefined || entry.state === state) return entry;
      }
      return state === undefined ? undefined : "unknown";
    },
    async wait(held, signal, patience) {
      const entry = entries.get(held);
      if (entry === undefined) throw new Error("a question that is not held");
      entry.attended = true;
      entry.state = undefined;
      entry.returned.abort();
      entry.arrive();
      const over = new AbortController();
      const close = () => entry.gone.abort(new Error("the caller has gone"));
      signal.addEventListener("abort", close, { signal: over.signal });
      if (signal.aborted) close();
      try {
        const answered = entry.answer.then((answer) => ({ answer }));
        if (patience === undefined) return await answered;
        do {
          const first = await Promise.race([answered, clock.sleep(patience.holdMs, over.signal)]);
          if (first !== undefined) return first;
        } while (entry.taking);
        if (entry.rounds >= patience.rounds) {
          leave(entry, OUTCOME_KEPT_MS);
          return { pending: true };
        }
        entry.rounds += 1;
        entry.state = randomUUID();
        leave(entry, BACK_WITHIN_MS);
        return { comeBack: entry.state };
      } finally {
        over.abort();
        if (entry.attended) entries.delete(entry); // answered, or failed
      }
    },
    drop(of) {
      for (const entry of entries.values()) {
        const meant =
          of === undefined ||
          ("caller" in of ? entry.caller === of.caller : entry.connection === of.connection);
        if (meant) forget(entry);
      }
    },
    get count() {
      return entries.size;
    },
  };
}
