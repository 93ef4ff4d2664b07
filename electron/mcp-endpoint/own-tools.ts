import type { CallToolResult } from "@modelcontextprotocol/server";
import { within, type Clock } from "../../loopback/clock.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { READ_HINTS, toolRow, type ToolRow } from "../../mcp/contract/tool-row.ts";
import { AuditPage, AuditQuery } from "../contract/audit.ts";
import type { Audit } from "./audit.ts";
import { errorResult } from "./tool-result.ts";

/** A tool that main answers itself: it says nothing of an engine. */
export interface OwnTool {
  readonly row: ToolRow;
  /** How long it may take, in ms; default `REPLY_WITHIN_MS`. */
  readonly replyWithinMs?: number;
  /** @param args as the row's input schema takes them */
  answer(args: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** How long a tool of the application may take unless it says otherwise, in ms. */
export const REPLY_WITHIN_MS = 30_000;

export const AUDIT_ROW = toolRow({
  name: "ironbridge_audit_query",
  title: "Query the audit",
  description:
    "Reads what agents and the person did through Ironbridge, newest first: calls (mcp.call), their outcome and time (mcp.result), refusals with the reason (mcp.refused), and questions to the person (consent.). Argument values are never in it. " +
    "Use it to find out who changed something and when. Returns rows, count, and lost: rows that could not be written.",
  input: AuditQuery,
  output: AuditPage,
  hints: READ_HINTS,
  risk: "read",
  permission: "mcp.audit",
  mode: "read",
  for: "agent",
});

export function auditTool(audit: Pick<Audit, "query" | "lost">): OwnTool {
  return {
    row: AUDIT_ROW,
    async answer(args) {
      const rows = await audit.query(AuditQuery.parse(args));
      return { rows, count: rows.length, lost: audit.lost };
    },
  };
}

/** Calls it, within its time. @throws what it throws */
export async function callOwnTool(
  tool: OwnTool,
  args: Record<string, unknown>,
  clock: Clock,
): Promise<CallToolResult> {
  const limitMs = tool.replyWithinMs ?? REPLY_WITHIN_MS;
  const answering = tool.answer(args);
  if (!(await within(answering, limitMs, clock))) {
    answering.catch(() => {}); // nobody waits for it any more
    return errorResult(tooLate(tool.row, limitMs));
  }
  const answer = await answering;
  return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
}

const tooLate = ({ name, risk }: ToolRow, limitMs: number): ToolError => ({
  error: `${name} did not answer within ${limitMs / 1_000} seconds.`,
  code: "deadline_exceeded",
  retryable: risk === "read",
  ...(risk === "read"
    ? {}
    : { hint: "It is not known whether the change was made: read the target before calling again." }),
});
