import type { CallToolResult } from "@modelcontextprotocol/server";
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

/** A tool's result as screens use it: its structured content, or its error object. */
export function toOutcome(result: CallToolResult): ToolOutcome {
  const text = textOf(result);
  if (result.isError !== true) return { ok: true, data: result.structuredContent ?? text };
  return { ok: false, error: errorOf(text) };
}

function textOf(result: CallToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** Another server's error may be plain words. */
function errorOf(text: string): ToolError {
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
