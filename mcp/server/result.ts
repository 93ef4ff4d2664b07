import type { CallToolResult } from "@modelcontextprotocol/server";
import { LosslessNumber } from "lossless-json";
import type { ToolError } from "../contract/errors.ts";
import type { TextBlocks, ToolRow } from "../contract/tool-row.ts";
import { ToolFailure } from "../upstream/tool-failure.ts";
import { toStructured, toText } from "../upstream/wire-json.ts";
import { omitPayloads } from "./omit.ts";

/**
 * Largest answer of a tool, as bytes of its JSON. It travels twice, the second time inside a JSON string, and has to fit
 * a frame of 4 MiB at the other end, also when the escapes double it.
 */
export const RESULT_MAX_BYTES = 1024 * 1024;

/**
 * An answer: the value as `structuredContent`, and the same JSON, with exact digits, as compact text. Payloads that would
 * make it too large are left out, the largest first, and say so in their place.
 */
export function successResult(row: ToolRow, value: object): CallToolResult {
  const whole = answerOf(row, value);
  if (whole.bytes <= RESULT_MAX_BYTES) return whole.result;
  const smaller = answerOf(row, omitPayloads(value, whole.bytes - RESULT_MAX_BYTES));
  if (smaller.bytes <= RESULT_MAX_BYTES) return smaller.result;
  return tooLarge(whole.bytes);
}

/**
 * A value as JSON text for a resource, with exact digits; the largest payloads are left out when it would be too large.
 * @throws ToolFailure `resource_exhausted` when that is not enough
 */
export function boundedJson(value: object): string {
  const whole = toText(value);
  const excess = Buffer.byteLength(whole) - RESULT_MAX_BYTES;
  const text = excess <= 0 ? whole : toText(omitPayloads(value, excess));
  return bounded(text);
}

/** @throws ToolFailure `resource_exhausted` for a text that is too large to send */
export function bounded(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= RESULT_MAX_BYTES) return text;
  throw new ToolFailure({
    code: "resource_exhausted",
    message: `the resource has ${bytes} bytes; one may have ${RESULT_MAX_BYTES} at most`,
    retryable: false,
    hint: "Use the tool that reads it in pages, with a limit.",
  });
}

function answerOf(row: ToolRow, value: object): { bytes: number; result: CallToolResult } {
  if (row.output === null) return textAnswer(value as TextBlocks); // what its handler's type says
  const text = toText(row.bareArray === true ? bareItems(value) : value);
  const content = [{ type: "text" as const, text }];
  return { bytes: Buffer.byteLength(text), result: { content, structuredContent: toStructured(value) } };
}

function textAnswer({ blocks }: TextBlocks): { bytes: number; result: CallToolResult } {
  const bytes = blocks.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { bytes, result: { content: blocks.map((text) => ({ type: "text" as const, text })) } };
}

/** What an application's tool gave: an object as `structuredContent` and JSON text, a text as it is, else JSON text. */
export function valueResult(value: unknown): CallToolResult {
  const text = typeof value === "string" ? value : toText(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > RESULT_MAX_BYTES) return tooLarge(bytes);
  const content = [{ type: "text" as const, text }];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof LosslessNumber)
    ? { content, structuredContent: toStructured(value) }
    : { content };
}

function tooLarge(bytes: number): CallToolResult {
  return failureResult({
    error: `the answer has ${bytes} bytes; a tool may answer ${RESULT_MAX_BYTES} at most`,
    code: "resource_exhausted",
    retryable: false,
    hint: "Ask for less: a smaller limit, a narrower filter, or one record instead of a list.",
  });
}

function bareItems(value: object): unknown {
  return "items" in value ? value.items : value;
}

/** A failure: the error object as the text of an `isError` result. */
export function failureResult(error: ToolError): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(error) }] };
}

export function toToolError(error: ToolFailure): ToolError {
  return {
    error: error.message,
    code: error.code,
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    retryable: error.retryable,
    ...(error.retryAfterSeconds === undefined ? {} : { retry_after: error.retryAfterSeconds }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}
