import type { StopResponse } from "../../bridge/contract/api.ts";

const WORDS: Record<StopResponse["outcome"], string> = {
  already_ended: "It had ended already.",
  after_int: "Stopped: it ended when it was interrupted.",
  after_term: "Stopped: it ended when it was asked to.",
  after_kill: "Stopped by force.",
  not_confirmed: "Stop was asked for, but its end was not seen.",
};

/** What Stop saw, and no more. */
export function stopNote({ outcome, alive }: StopResponse): string {
  if (alive === 0) return WORDS[outcome];
  return `${WORDS[outcome]} ${alive === 1 ? "One process" : `${alive} processes`} could not be proved gone.`;
}
