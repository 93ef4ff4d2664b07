import type { Clock } from "../../loopback/clock.ts";
import { EXPIRES_MS, INERT_MS } from "../contract/consent.ts";
import type { ConsentOutcome } from "../../mcp/contract/errors.ts";

/** Outcomes the queue itself knows; whether the target changed is found out by whoever asked. */
export type QueueOutcome = Exclude<ConsentOutcome, "target_changed">;

/** An answer follows the click or key that gave it; a script that comes later has no use of it. */
export const INPUT_FRESH_MS = 2_000;

export const QUEUE_LIMITS = { all: 32, perCaller: 8 } as const;

/** A question that waits, with what main has seen of the window since it came on top. */
export interface Waiting<Q> {
  readonly id: string;
  readonly caller: string;
  readonly question: Q;
  readonly askedMs: number;
  readonly expiresMs: number;
}

export interface AskOptions<Q> {
  readonly id: string;
  readonly caller: string;
  readonly question: Q;
  /** Aborts when the caller has gone or cancelled. */
  readonly signal: AbortSignal;
  /** May only shorten `EXPIRES_MS`. */
  readonly expiresAfterMs?: number;
  /** Called right before it is approved by an answer that is to be remembered. Without it, none is. */
  readonly onRemember?: (() => void) | undefined;
  /** Asked anew after an approval: goes to the front, where its predecessor was. */
  readonly first?: boolean;
}

export interface QuestionQueue<Q> {
  /** Whether one more question of this caller is taken. */
  hasRoom(caller: string): boolean;
  /** Resolves with the one outcome of this question. "full" when too many wait: then nobody is asked. */
  ask(options: AskOptions<Q>): Promise<QueueOutcome | "full">;
  readonly top: Waiting<Q> | undefined;
  readonly count: number;
  /** The question on top was put before the person's eyes, or its window was focused: from now on it is inert a while. */
  presented(): void;
  /** Main saw a person's mouse or key in the question's window. */
  inputSeen(): void;
  /** An answer from the question's window. */
  answer(id: string, answer: "approve" | "decline", remember?: boolean): { taken: boolean; reason?: string };
  /** The window was closed or its page crashed: the question on top was not answered. */
  dismissed(): void;
  /** These are no longer to be answered, for a reason that is not their callers': they close without an answer. */
  withdraw(which: (question: Q) => boolean): void;
  /** The person refuses every question that waits, at once. */
  refuseAll(): void;
  /** The app ends: every question does, and no more is taken. */
  close(): void;
}

type Entry<Q> = Waiting<Q> & {
  settle(outcome: QueueOutcome): void;
  readonly onRemember: (() => void) | undefined;
};

/**
 * Questions to the person, one at a time, in order. An answer counts for the question on top only, `INERT_MS` after it was
 * presented, and only when the person's own input was seen just before it; each input counts for one answer.
 * @param onChanged called whenever the top or the number of questions changes
 */
export function questionQueue<Q>(clock: Clock, onChanged: () => void): QuestionQueue<Q> {
  const entries: Entry<Q>[] = [];
  let closed = false;
  let presentedMs: number | undefined;
  let inputMs: number | undefined;

  const inertUntilMs = () => (presentedMs === undefined ? Number.POSITIVE_INFINITY : presentedMs + INERT_MS);

  function remove(entry: Entry<Q>): void {
    const at = entries.indexOf(entry);
    entries.splice(at, 1);
    if (at === 0) forgetWhatWasSeen();
  }
  function forgetWhatWasSeen(): void {
    presentedMs = undefined;
    inputMs = undefined;
  }

  async function wait(options: AskOptions<Q>): Promise<QueueOutcome> {
    const askedMs = clock.nowMs();
    const forMs = Math.min(options.expiresAfterMs ?? EXPIRES_MS, EXPIRES_MS);
    const over = new AbortController();
    const outcome = await new Promise<QueueOutcome>((settle) => {
      const { id, caller, question, signal } = options;
      const expiresMs = askedMs + forMs;
      const { onRemember } = options;
      const entry: Entry<Q> = { id, caller, question, askedMs, expiresMs, settle: finish, onRemember };
      let settled = false;
      function finish(result: QueueOutcome): void {
        if (settled) return;
        settled = true;
        remove(entry);
        over.abort();
        settle(result);
        onChanged();
      }
      signal.addEventListener("abort", () => finish("caller_gone"), { signal: over.signal });
      void clock.sleep(forMs, over.signal).then(() => finish("expired")); // sleep never rejects
      if (options.first === true) {
        forgetWhatWasSeen();
        entries.unshift(entry);
      } else entries.push(entry);
      onChanged();
      if (signal.aborted) finish("caller_gone");
    });
    return outcome;
  }

  function hasRoom(caller: string): boolean {
    const own = entries.filter((entry) => entry.caller === caller).length;
    return entries.length < QUEUE_LIMITS.all && own < QUEUE_LIMITS.perCaller;
  }

  return {
    hasRoom,
    async ask(options) {
      if (closed) return "app_closed";
      return hasRoom(options.caller) ? wait(options) : "full";
    },
    get top() {
      return entries[0];
    },
    get count() {
      return entries.length;
    },
    presented() {
      if (entries[0] === undefined) return;
      presentedMs = clock.nowMs();
      inputMs = undefined;
    },
    inputSeen() {
      const nowMs = clock.nowMs();
      if (nowMs >= inertUntilMs()) inputMs = nowMs;
    },
    answer(id, answer, remember = false) {
      const top = entries[0];
      if (top === undefined || top.id !== id) return { taken: false, reason: "this question is not on top" };
      if (clock.nowMs() >= top.expiresMs) return { taken: false, reason: "this question has expired" };
      if (clock.nowMs() < inertUntilMs()) return { taken: false, reason: "too early: read it first" };
      if (inputMs === undefined || clock.nowMs() - inputMs > INPUT_FRESH_MS)
        return { taken: false, reason: "no input of a person was seen" };
      if (answer === "approve" && remember) top.onRemember?.();
      top.settle(answer === "approve" ? "approved" : "declined");
      return { taken: true };
    },
    dismissed() {
      entries[0]?.settle("not_answered");
    },
    withdraw(which) {
      for (const entry of entries.filter(({ question }) => which(question))) entry.settle("not_answered");
    },
    refuseAll() {
      while (entries[0] !== undefined) entries[0].settle("declined");
    },
    close() {
      closed = true;
      while (entries[0] !== undefined) entries[0].settle("app_closed");
    },
  };
}
