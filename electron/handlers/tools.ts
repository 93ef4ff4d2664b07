import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Handlers, ToolOutcome } from "../contract/ipc.ts";
import { ToolError } from "../../mcp/contract/errors.ts";
import { USER } from "../mcp-endpoint/permissions.ts";
import type { Performer } from "../mcp-endpoint/perform.ts";

/** The person's own buttons: through the same gate as every agent, as caller `user`. */
export function toolHandlers(performer: Performer, ending: AbortSignal): Pick<Handlers, "tool:call"> {
  return {
    async "tool:call"({ connection, tool, arguments: args }) {
      const result = await performer.perform({
        caller: USER,
        claim: undefined,
        connection,
        tool,
        args,
        signal: ending,
      });
      if (result !== undefined) return toOutcome(result);
      return {
        ok: false,
        error: { error: `There is no tool ${tool} here.`, code: "not_found", retryable: false },
      };
    },
  };
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
