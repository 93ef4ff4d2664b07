import type { ToolError } from "../../mcp/contract/errors.ts";
import type { Verdict } from "./gate.ts";
import type { Caller } from "./permissions.ts";
import { limitWords } from "./rate-limit.ts";

/** The token's calls of this window are used up. `seconds` until the next one may come. */
export function tooFast({ rateLimit }: Caller, seconds: number): ToolError {
  const limit = rateLimit === undefined ? "" : ` (${limitWords(rateLimit)})`;
  return {
    error: `The rate limit of this token${limit} is used up. Wait ${seconds} ${seconds === 1 ? "second" : "seconds"}. Nothing was done.`,
    code: "resource_exhausted",
    reason: "rate_limited",
    retryable: true,
    retry_after: seconds,
  };
}

/** The caller cannot wait as long as the person thinks. */
export const CONSENT_PENDING: ToolError = {
  error:
    "The person has not answered yet. The question stays open in Ironbridge. Nothing was changed so far.",
  code: "consent_pending",
  reason: "consent_pending",
  retryable: true,
  retry_after: 5,
  hint: "Repeat the identical call, with the same arguments, to go on waiting for the answer: only that call is done when the person approves.",
};

/** It came back for a question that was answered, closed or never asked. */
export const QUESTION_OVER: ToolError = {
  error: "The question that this call waited for is over. Nothing was changed.",
  code: "permission_denied",
  reason: "question_over",
  retryable: false,
  hint: "Read the target before you decide to call again.",
};

/** Its token was revoked while the call was under way. */
export const TOKEN_GONE: Verdict = { verdict: "hidden", reason: "its token was taken away" };

/** Where the call was to go is not shown any more. */
export const ENGINE_LEFT: Verdict = {
  verdict: "refuse",
  reason: "another engine is shown",
  error: {
    error: "The person has gone to another engine since the call was made. Nothing was done.",
    code: "failed_precondition",
    reason: "engine_left",
    retryable: false,
    hint: "Find out which engine answers now before you decide to call again.",
  },
};

/** Under its name the application now offers something else, or nothing. */
export const TOOL_CHANGED: Verdict = {
  verdict: "refuse",
  reason: "the tool has changed",
  error: {
    error:
      "The application has changed this tool, or taken it away, since the call was made. Nothing was done.",
    code: "failed_precondition",
    reason: "tool_changed",
    retryable: false,
    hint: "List the tools again and read what the tool does now.",
  },
};

/** The caller may no longer do what the person approved. */
export const RIGHTS_CHANGED: ToolError = {
  error: "Rights were taken away while the call was under way. Nothing was changed.",
  code: "permission_denied",
  reason: "rights_changed",
  retryable: false,
};
