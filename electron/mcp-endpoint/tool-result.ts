import type { CallToolResult } from "@modelcontextprotocol/server";
import { mayLoseDigits, parseExactJson } from "../../loopback/exact-json.ts";
import { ToolError } from "../../mcp/contract/errors.ts";
import type { ToolOutcome } from "../contract/ipc.ts";

/** Under this name every result says which engine it came from. */
export const ENGINE_META = "ironbridge/engine";

/** The engine that a result came from. */
export interface EngineMeta {
  readonly connection: string;
  readonly kind: "embedded" | "remote";
  readonly url: string;
}

/** A refused or failed call as callers see it: the error object as JSON text. */
export function errorResult(error: ToolError): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(error) }] };
}

/** The same result with the engine's name in its `_meta`. */
export function fromEngine(result: CallToolResult, engine: EngineMeta): CallToolResult {
  return { ...result, _meta: { ...result._meta, [ENGINE_META]: { ...engine } } };
}

/** A tool's result as screens use it: its data with every digit, or its error object. */
export function toOutcome(result: CallToolResult): ToolOutcome {
  if (result.isError === true) return { ok: false, error: errorOf(result) };
  const text = textOf(result);
  if (result.structuredContent === undefined) return { ok: true, data: text };
  return { ok: true, data: exactData(result.structuredContent, text) };
}

/**
 * Structured content was read with JSON.parse, so a number that no double holds is not one there. The text of the same
 * result has its digits: such a number is a `LosslessNumber`.
 */
function exactData(structured: unknown, text: string): unknown {
  if (!mayLoseDigits(text)) return structured;
  try {
    const exact = parseExactJson(text);
    // A bare array is wrapped in structured content only.
    if (!Array.isArray(exact)) return isObject(exact) ? exact : structured;
    return isObject(structured) && "items" in structured ? { ...structured, items: exact } : structured;
  } catch {
    // Not JSON, or nested too deeply to read: then the structured content is what there is.
    return structured;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function textOf(result: CallToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** The error object of a failed call. Another server's error may be plain words. */
export function errorOf(result: CallToolResult): ToolError {
  const text = textOf(result);
  try {
    return ToolError.parse(JSON.parse(text));
  } catch {
    return {
      error: text === "" ? "The tool failed without a word." : text,
      code: "unknown",
      retryable: false,
    };
  }
}
