import type { ConsentOutcome, ToolError } from "../../mcp/contract/errors.ts";

type Refusing = Exclude<ConsentOutcome, "approved">;

/** What each outcome means, in words that claim no more than what happened. */
const SENTENCES: Readonly<Record<Refusing, { error: string; hint?: string }>> = {
  declined: {
    error: "The person declined. Nothing was changed.",
    hint: "Do not send this call again unless the person asks you to.",
  },
  not_answered: {
    error: "The question was closed without an answer. Nothing was changed.",
    hint: "Do not send this call again unless the person asks you to.",
  },
  expired: {
    error: "Nobody answered the question in time. Nothing was changed.",
    hint: "Tell the person that their approval is needed in Ironbridge before you try again.",
  },
  caller_gone: { error: "The call was given up before the question was answered. Nothing was changed." },
  target_changed: {
    error: "What was to be changed is no longer what the person was asked about. Nothing was changed.",
    hint: "Read it again before you decide to call again.",
  },
  app_closed: { error: "The app was closed before the question was answered. Nothing was changed." },
};

/** The error object of a call that asked a person and was not approved. `reason` is the outcome's word. */
export function refusal(outcome: Refusing): ToolError {
  return { code: "permission_denied", reason: outcome, retryable: false, ...SENTENCES[outcome] };
}

/** Too many questions wait: the person was not asked this one. */
export const TOO_MANY_QUESTIONS: ToolError = {
  error: "Too many questions already wait for the person. They were not asked. Nothing was changed.",
  code: "resource_exhausted",
  reason: "too_many_questions",
  retryable: true,
  retry_after: 30,
};
