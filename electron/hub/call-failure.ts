import type { CallProblem } from "../../mcp/client/session.ts";
import { NOT_SENT, STARTING, type ToolError } from "../../mcp/contract/errors.ts";

/**
 * The error object of a call that got no result from the tool server. It never claims to know whether a change was made
 * when nobody saw it.
 * @param changes whether the tool can change something
 */
export function callFailure(problem: CallProblem, message: string, changes: boolean): ToolError {
  const unknown = changes
    ? {
        retryable: false,
        hint: "It is not known whether the change was made: read the target before calling again.",
      }
    : { retryable: true };
  if (problem === "refused") return { error: message, code: "invalid_argument", retryable: false };
  if (problem === "cancelled") return { error: message, code: "canceled", ...unknown, retryable: false };
  return { error: message, code: problem === "timed-out" ? "deadline_exceeded" : "unavailable", ...unknown };
}

/**
 * The engine's tool server is not running, so nothing was sent.
 * @param why one sentence
 * @param state `starting` for the first time, so that nothing is wrong; `restarting` after something went wrong; `away`
 *   until a person mends it
 */
export function notRunning(
  connection: string,
  why: string,
  state: "starting" | "restarting" | "away",
): ToolError {
  return {
    error: `Nothing was sent: the connection "${connection}" is not available. ${why}`,
    code: "unavailable",
    reason: state === "starting" ? STARTING : NOT_SENT,
    ...(state !== "away"
      ? { retryable: true, retry_after: 2 }
      : { retryable: false, hint: "A person has to mend this and restart the connection in the app." }),
  };
}

/** @param running how many calls stand in the way, the caller's own or everybody's */
export function tooMany(connection: string, running: number): ToolError {
  return {
    error: `Nothing was sent: ${running} calls are already under way on the connection "${connection}".`,
    code: "resource_exhausted",
    reason: NOT_SENT,
    retryable: true,
    retry_after: 1,
    hint: "Wait for the answers of the calls under way.",
  };
}
