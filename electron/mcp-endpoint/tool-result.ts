import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolError } from "../../mcp/contract/errors.ts";

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
