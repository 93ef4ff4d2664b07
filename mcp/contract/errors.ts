import * as z from "zod/v4";

/**
 * The error object of a failed tool call: the text of an `isError` result is this as JSON (seeds: "Errors").
 * `code` is the lower-case Connect code or one of ours. Retry the same call only when `retryable` is true, after
 * `retry_after` seconds when it is there.
 */
export const ToolError = z.object({
  error: z.string(),
  code: z.string(),
  reason: z.string().optional(),
  retryable: z.boolean(),
  retry_after: z.number().optional(),
  hint: z.string().optional(),
});
export type ToolError = z.infer<typeof ToolError>;

/** The reason of an `unavailable` that is nobody's fault: the connection comes up for the first time. */
export const STARTING = "starting";

/** The `reason` of an error where not a byte of the call has left: nothing can have been done. */
export const NOT_SENT = "not_sent";

/** Why an action that asked a person was not done. Nothing was changed in any of these cases. */
export const ConsentOutcome = z.enum([
  "approved",
  "declined",
  "not_answered",
  "expired",
  "caller_gone",
  "target_changed",
  "app_closed",
]);
export type ConsentOutcome = z.infer<typeof ConsentOutcome>;
