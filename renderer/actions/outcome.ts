import { ConsentOutcome } from "../../mcp/contract/errors.ts";
import type { ActionState } from "./actions-slice.ts";

export type Outcome = {
  readonly tone: "good" | "bad" | "idle";
  readonly title: string;
  readonly detail: string;
};

const NOT_APPROVED: Record<Exclude<ConsentOutcome, "approved">, string> = {
  declined: "Cancelled.",
  not_answered: "Not approved: the question was closed.",
  expired: "Not approved in time.",
  caller_gone: "Given up.",
  target_changed: "Not done: it changed meanwhile.",
  app_closed: "Not done: the app was closing.",
};

/** How an ended action reads. One that a person did not approve is no failure, and nothing was changed by it. */
export function outcomeOf(state: Exclude<ActionState, { phase: "under_way" }>): Outcome {
  if (state.phase === "done") return { tone: "good", title: state.note, detail: "" };
  const { error } = state;
  const outcome = ConsentOutcome.safeParse(error.reason);
  if (outcome.success && outcome.data !== "approved") {
    return { tone: "idle", title: NOT_APPROVED[outcome.data], detail: "Nothing was changed." };
  }
  const hint = error.hint === undefined ? "" : ` ${error.hint}`;
  return { tone: "bad", title: `${state.what}: not done.`, detail: `${error.error} (${error.code})${hint}` };
}
