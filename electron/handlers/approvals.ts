import type { Consent } from "../consent/consent.ts";
import type { LeftOpen } from "../consent/left-open.ts";
import type { Panic } from "../consent/panic.ts";
import type { Remembered } from "../consent/remembered.ts";
import type { PanicWithShortcut } from "../panic.ts";
import type { Handlers } from "../contract/ipc.ts";

export interface ApprovalHandlerParts {
  readonly consent: Pick<Consent, "askRights">;
  readonly remembered: Remembered;
  readonly panic: Panic & Pick<PanicWithShortcut, "takeShortcut">;
  /** Questions that an earlier life of the app left open. */
  readonly leftOpen: () => Promise<readonly LeftOpen[]>;
  readonly ending: AbortSignal;
}

type Rows =
  | "remembered:list"
  | "remembered:forget"
  | "panic:state"
  | "panic:stop"
  | "panic:take-shortcut"
  | "panic:lift"
  | "questions:left-open";

/** What the person decided once and for all, and how they take it back or stop everything. */
export function approvalHandlers(parts: ApprovalHandlerParts): Pick<Handlers, Rows> {
  const { remembered, panic } = parts;
  return {
    "remembered:list": async () => remembered.list(),
    "remembered:forget": async ({ id }) => ({ forgotten: remembered.forget(id) }),
    "panic:state": async () => panic.state,
    async "panic:stop"() {
      await panic.stop();
      return panic.state;
    },
    "panic:take-shortcut": async () => ({ taken: panic.takeShortcut() }),
    async "panic:lift"() {
      const { since } = panic.state;
      if (since === undefined) return { ok: true };
      const answer = await parts.consent.askRights({
        title: "Let agents act again",
        consequence: "Agents may do again what their tokens and the connections allow.",
        details: [{ label: "Stopped since", text: since, is: "time" }],
        effects: [
          "What was stopped does not go on by itself.",
          "What is destructive or cannot be undone still asks you.",
        ],
        signal: parts.ending,
      });
      if (!answer.approved) return { ok: false, error: answer.error };
      // Somebody may have stopped everything once more meanwhile: that is not what was approved.
      if (panic.state.since === since) panic.lift();
      return { ok: true };
    },
    async "questions:left-open"() {
      const open = await parts.leftOpen();
      return open.map(({ user, tool, askedAt }) => ({
        caller: user.replace(/^token:/, ""),
        tool,
        asked_at: askedAt,
      }));
    },
  };
}
