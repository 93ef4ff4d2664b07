import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { Risk, ToolRow } from "../../mcp/contract/tool-row.ts";
import type { Answer, Consent } from "../consent/consent.ts";
import { refusal } from "../consent/outcomes.ts";
import type { AgentActivity } from "../contract/ipc.ts";
import type { EngineLink } from "../hub/engine-link.ts";
import type { Hub } from "../hub/hub.ts";
import type { Progress } from "./agent-server.ts";
import type { Audit } from "./audit.ts";
import { gate, hiddenBecause } from "./gate.ts";
import { auditUser, type Caller } from "./permissions.ts";
import { onlyAPersonConfirms } from "./published-tools.ts";
import { errorResult, fromEngine } from "./tool-result.ts";
import { whileWaiting } from "./waiting-progress.ts";

/** One call of a tool, by an agent or by the person's own button. */
export interface ToolCall {
  readonly caller: Caller;
  /** What an agent's client says of itself. */
  readonly claim: string | undefined;
  readonly connection: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface PerformParts {
  readonly rows: readonly ToolRow[];
  readonly hub: {
    call: Hub["call"];
    link(connection: string): Pick<EngineLink, "name" | "switches" | "meta"> | undefined;
  };
  readonly consent: Pick<Consent, "askCall">;
  readonly audit: Pick<Audit, "write">;
  readonly onActivity: (activity: AgentActivity) => void;
  readonly now: () => Date;
}

export interface Performer {
  /** The rows that this caller is offered on this connection. */
  tools(caller: Caller, connection: string): readonly ToolRow[];
  /** Does what was asked, if it may be done. Undefined when the caller is not offered such a tool. */
  perform(call: ToolCall): Promise<CallToolResult | undefined>;
}

type Link = NonNullable<ReturnType<PerformParts["hub"]["link"]>>;

/** A call on its way, with what its records say of it. */
interface Passage {
  readonly call: ToolCall;
  readonly id: string;
  /** When its work began: the time in which a person thinks is not the call's. */
  startedMs: number;
  readonly risk: Risk | undefined;
}

/** The one way on which anything is done to an engine: gate, the person where one is needed, the audit, then the hub. */
export function createPerformer(parts: PerformParts): Performer {
  const byName = new Map(parts.rows.map((row) => [row.name, row]));

  /** What the person only reads, or tries to, is not recorded: their screens do it all the time. */
  function record(
    { call, id, risk }: Passage,
    event: string,
    detail: Record<string, string | number>,
  ): Promise<void> {
    if (call.caller.kind === "user" && (risk === "read" || risk === undefined)) return Promise.resolve();
    const about = { call_id: id, tool: call.tool, connection: call.connection };
    return parts.audit.write({ event, user: auditUser(call.caller), detail: { ...about, ...detail } });
  }

  function tell({ call, id, startedMs }: Passage, outcome: AgentActivity["outcome"]): void {
    if (call.caller.kind === "user") return; // the person knows what they did
    const now = parts.now();
    parts.onActivity({
      call_id: id,
      at: now.toISOString(),
      caller: call.caller.name,
      ...(call.claim === undefined ? {} : { client_claim: call.claim }),
      tool: call.tool,
      connection: call.connection,
      outcome,
      ...(outcome === "started" || outcome === "asking" ? {} : { ms: now.getTime() - startedMs }),
    });
  }

  async function refuse(
    passage: Passage,
    reason: string,
    link: Link,
    error: ToolError,
  ): Promise<CallToolResult> {
    tell(passage, "refused");
    await record(passage, "mcp.refused", { reason });
    return fromEngine(errorResult(error), link.meta);
  }

  function ask(passage: Passage, link: Link, row: ToolRow, args: Record<string, unknown>): Promise<Answer> {
    const { call } = passage;
    tell(passage, "asking");
    const asked = parts.consent.askCall({
      callId: passage.id,
      caller: call.caller,
      claim: call.claim,
      row,
      args,
      engine: { ...link.meta, name: link.name },
      signal: call.signal,
      read: (tool, readArgs) =>
        parts.hub.call(call.connection, tool, readArgs, { caller: "ironbridge", signal: call.signal }),
    });
    return whileWaiting(asked, call.onProgress);
  }

  async function forward(
    passage: Passage,
    link: Link,
    row: ToolRow,
    args: Record<string, unknown>,
    onProgress: ToolCall["onProgress"],
  ): Promise<CallToolResult> {
    const { call } = passage;
    const written = record(passage, "mcp.call", { risk: row.risk });
    if (row.risk !== "read") await written; // what changes something is on disk before it is done
    if (call.signal.aborted) return refuse(passage, "the caller has gone", link, refusal("caller_gone"));
    const confirmed = onlyAPersonConfirms(row) ? { ...args, confirm: true } : args;
    const result = await parts.hub.call(call.connection, call.tool, confirmed, {
      caller: call.caller.name,
      agent: call.caller.kind === "token" ? call.caller.name : undefined,
      signal: call.signal,
      onProgress,
    });
    const outcome = result.isError === true ? "error" : "ok";
    tell(passage, outcome);
    void record(passage, "mcp.result", {
      outcome,
      ms: parts.now().getTime() - passage.startedMs,
    }); // never rejects
    return fromEngine(result, link.meta);
  }

  return {
    tools(caller, connection) {
      const link = parts.hub.link(connection);
      if (link === undefined) return [];
      return parts.rows.filter((row) => hiddenBecause(caller, row, link.switches) === undefined);
    },
    async perform(call) {
      const link = parts.hub.link(call.connection);
      if (link === undefined) return undefined;
      const row = byName.get(call.tool);
      const passage: Passage = { call, id: randomUUID(), startedMs: parts.now().getTime(), risk: row?.risk };
      const args = row === undefined ? call.args : withoutConfirm(row, call.args);
      const verdict = gate(call.caller, row, link.switches, args);
      if (verdict.verdict === "hidden" || row === undefined) {
        tell(passage, "refused");
        await record(passage, "mcp.refused", {
          reason: verdict.verdict === "hidden" ? verdict.reason : "unknown tool",
        });
        return undefined;
      }
      if (verdict.verdict === "refuse") return refuse(passage, verdict.reason, link, verdict.error);
      tell(passage, "started");
      if (verdict.verdict === "ask") {
        const answer = await ask(passage, link, row, args);
        if (!answer.approved)
          return refuse(passage, answer.error.reason ?? answer.error.code, link, answer.error);
        // The person may have taken rights away while they were asked.
        const again = gate(call.caller, row, link.switches, args);
        if (again.verdict !== "ask") return refuse(passage, "rights have changed", link, RIGHTS_CHANGED);
      }
      passage.startedMs = parts.now().getTime();
      // Who was told of the waiting has had progress already, and it may only grow.
      return forward(passage, link, row, args, verdict.verdict === "allow" ? call.onProgress : undefined);
    },
  };
}

const RIGHTS_CHANGED: ToolError = {
  error: "Rights were taken away while the person was asked. Nothing was changed.",
  code: "permission_denied",
  reason: "rights_changed",
  retryable: false,
};

/** An agent's `confirm` is worth nothing: it is taken out, and only a person's answer puts one in. */
function withoutConfirm(row: ToolRow, args: Record<string, unknown>): Record<string, unknown> {
  if (!onlyAPersonConfirms(row)) return args;
  const { confirm: _, ...rest } = args;
  return rest;
}
