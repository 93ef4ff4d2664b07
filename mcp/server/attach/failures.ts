import type { ToolError } from "../../contract/errors.ts";
import type { Message, MessageId } from "./message.ts";

/** Nothing was done: the app was not there. */
export const NOT_RUNNING: ToolError = {
  error: "Ironbridge is not running; nothing was done.",
  code: "unavailable",
  retryable: true,
  retry_after: 5,
  hint: "Ask the person to start the app, then send the same call again.",
};

/** The app went away between request and answer. */
export const CONNECTION_LOST: ToolError = {
  error: "The connection to Ironbridge broke before the answer came.",
  code: "unavailable",
  retryable: false,
  hint: "It is not known whether anything was done: read the target before calling again.",
};

export const TOO_MANY: ToolError = {
  error: "Too many calls are waiting for Ironbridge; nothing was done.",
  code: "resource_exhausted",
  retryable: true,
  retry_after: 1,
};

/** How a request ends that the app did not answer: tools fail as results, which models read; all else as an error. */
export function failureAnswer(message: Message, id: MessageId, error: ToolError): string {
  if (message.routed.method === "tools/call") {
    const result = { isError: true, content: [{ type: "text", text: JSON.stringify(error) }] };
    return JSON.stringify({ jsonrpc: "2.0", id, result: { ...result, resultType: "complete" } });
  }
  return errorAnswer(id, -32_603, error.error);
}

export function errorAnswer(id: MessageId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}
