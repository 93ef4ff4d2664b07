import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import type { Hub } from "../hub/hub.ts";
import { gate, hiddenBecause, type Switches } from "./gate.ts";
import type { Caller } from "./permissions.ts";
import { onlyAPersonConfirms } from "./published-tools.ts";
import { errorResult, fromEngine } from "./tool-result.ts";

/** One call of a tool, by an agent or by the person's own button. */
export interface ToolCall {
  readonly caller: Caller;
  /** What an agent's client says of itself. */
  readonly claim: string | undefined;
  readonly connection: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly signal: AbortSignal;
}

export interface PerformParts {
  readonly rows: readonly ToolRow[];
  readonly hub: Pick<Hub, "call" | "link">;
}

export interface Performer {
  /** The rows that this caller is offered on this connection. */
  tools(caller: Caller, connection: string): readonly ToolRow[];
  /** Does what was asked, if it may be done. Undefined when the caller is not offered such a tool. */
  perform(call: ToolCall): Promise<CallToolResult | undefined>;
}

/** The one way on which anything is done to an engine: gate, then the hub. */
export function createPerformer(parts: PerformParts): Performer {
  const byName = new Map(parts.rows.map((row) => [row.name, row]));

  return {
    tools(caller, connection) {
      const link = parts.hub.link(connection);
      return link === undefined ? [] : parts.rows.filter((row) => isOffered(caller, row, link.switches));
    },
    async perform(call) {
      const link = parts.hub.link(call.connection);
      if (link === undefined) return undefined;
      const row = byName.get(call.tool);
      const args = row === undefined ? call.args : withoutConfirm(row, call.args);
      const verdict = gate(call.caller, row, link.switches, args);
      if (verdict.verdict === "hidden") return undefined;
      if (verdict.verdict === "refuse") return fromEngine(errorResult(verdict.error), link.meta);
      const result = await parts.hub.call(call.connection, call.tool, args, {
        caller: call.caller.name,
        signal: call.signal,
      });
      return fromEngine(result, link.meta);
    },
  };
}

const isOffered = (caller: Caller, row: ToolRow, switches: Switches): boolean =>
  hiddenBecause(caller, row, switches) === undefined;

/** An agent's `confirm` is worth nothing: it is taken out, and only a person's answer puts one in. */
function withoutConfirm(row: ToolRow, args: Record<string, unknown>): Record<string, unknown> {
  if (!onlyAPersonConfirms(row)) return args;
  const { confirm: _, ...rest } = args;
  return rest;
}
