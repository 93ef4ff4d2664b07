import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolError } from "../contract/errors.ts";
import type { ToolRow } from "../contract/tool-row.ts";
import type { EngineError } from "../engines/engine-error.ts";
import { toStructured, toText } from "../engines/wire-json.ts";

/**
 * Largest answer of a tool, as bytes of its JSON. It travels twice, the second time inside a JSON string, and has to fit
 * a frame of 4 MiB at the other end.
 */
export const RESULT_MAX_BYTES = 1024 * 1024;

/** An answer: the value as `structuredContent`, and the same JSON, with exact digits, as compact text. */
export function successResult(row: ToolRow, value: object): CallToolResult {
  const text = toText(row.bareArray === true ? bareItems(value) : value);
  const bytes = Buffer.byteLength(text);
  if (bytes > RESULT_MAX_BYTES)
    return failureResult({
      error: `the answer has ${bytes} bytes; a tool may answer ${RESULT_MAX_BYTES} at most`,
      code: "resource_exhausted",
      retryable: false,
      hint: "Ask for less: a smaller limit, a narrower filter, or one record instead of a list.",
    });
  const content = [{ type: "text" as const, text }];
  if (row.output === null) return { content };
  return { content, structuredContent: toStructured(value) };
}

function bareItems(value: object): unknown {
  return "items" in value ? value.items : value;
}

/** A failure: the error object as the text of an `isError` result. */
export function failureResult(error: ToolError): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(error) }] };
}

export function engineFailure(error: EngineError): ToolError {
  return {
    error: error.message,
    code: error.code,
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    retryable: error.retryable,
    ...(error.retryAfterSeconds === undefined ? {} : { retry_after: error.retryAfterSeconds }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}
