import type { CallToolResult } from "@modelcontextprotocol/server";
import { NOT_SENT, STARTING, type ToolError } from "../../mcp/contract/errors.ts";
import { errorOf, errorResult } from "./tool-result.ts";

/** Codes with which an engine or a terminal bridge says that it did not do what it was asked. */
const NOT_DONE: ReadonlySet<string> = new Set([
  "aborted",
  "already_exists",
  "failed_precondition",
  "invalid_argument",
  "not_found",
  "out_of_range",
  "permission_denied",
  "resource_exhausted",
  "unauthenticated",
  "unimplemented",
]);

/** Reasons with which nothing has left. */
const NOTHING_LEFT: ReadonlySet<string | undefined> = new Set([NOT_SENT, STARTING]);

const NOTHING = "Nothing was changed by this call.";
const UNKNOWN = "It is not known whether anything was changed: read the target before calling again.";

/**
 * The failure of a call that may change something, as its caller has to hear it: whether nothing was changed, or nobody
 * knows; then it is not to be sent again. A result that is none, or says it already, stays as it is.
 */
export function withWhatIsKnown(result: CallToolResult): CallToolResult {
  if (result.isError !== true) return result;
  const error = errorOf(result);
  const said = `${error.error} ${error.hint ?? ""}`.toLowerCase();
  if (said.includes("nothing was changed") || said.includes("not known whether")) return result;
  const untouched = NOTHING_LEFT.has(error.reason) || NOT_DONE.has(error.code);
  const known = untouched ? NOTHING : UNKNOWN;
  const hint = error.hint === undefined ? known : `${known} ${error.hint}`;
  // The tool server calls a write retryable that ends the same when it is done twice; who else has written since, it does not know.
  const retryable = untouched && error.retryable;
  return { ...result, ...errorResult({ ...error, retryable, hint } satisfies ToolError) };
}
