import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { Risk, ToolRow } from "../../mcp/contract/tool-row.ts";
import type { Consent } from "../consent/consent.ts";
import { refusal } from "../consent/outcomes.ts";
import { withTerminalDefaults, type TerminalPolicies } from "../consent/terminal-policy.ts";
import { EXPIRES_MS } from "../contract/consent.ts";
import type { AgentActivity } from "../contract/ipc.ts";
import type { EngineLink } from "../hub/engine-link.ts";
import type { Hub } from "../hub/hub.ts";
import type { Remembered } from "../consent/remembered.ts";
import type { Clock } from "../../loopback/clock.ts";
import type { ApplicationRow } from "./application-rows.ts";
import type { ComeBack, Progress } from "./agent-server.ts";
import type { Audit } from "./audit.ts";
import { keyOf, subjectOf } from "./call-identity.ts";
import {
  CONSENT_PENDING,
  ENGINE_LEFT,
  QUESTION_OVER,
  RIGHTS_CHANGED,
  TOKEN_GONE,
  TOOL_CHANGED,
  tooFast,
} from "./call-refusals.ts";
import { gate, hiddenBecause, type HouseRules, type Verdict } from "./gate.ts";
import { heldQuestions, type Held, type Patience, type Waited } from "./held-questions.ts";
import { callOwnTool, type OwnTool } from "./own-tools.ts";
import { auditUser, type Caller } from "./permissions.ts";
import { onlyAPersonConfirms } from "./published-tools.ts";
import { rateLimiter } from "./rate-limit.ts";
import type { Remote } from "./request-facts.ts";
import { errorOf, errorResult, fromEngine } from "./tool-result.ts";
import { withWhatIsKnown } from "./what-is-known.ts";
import { whileWaiting } from "./waiting-progress.ts";

/** One call of a tool, by an agent or by the person's own button. */
export interface ToolCall {
  readonly caller: Caller;
  /** Of an agent: differs for every token, also under the same name. */
  readonly tokenId?: string | undefined;
  readonly remote?: Remote | undefined;
  /** How long it can wait for a person; without it, as long as it takes. */
  readonly patience?: Patience | undefined;
  /** What it was given when it was told to come back. */
  readonly state?: string | undefined;
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
    link(connection: string): Pick<EngineLink, "name" | "switches" | "meta" | "applicationRows"> | undefined;
  };
  readonly consent: Pick<Consent, "askCall">;
  readonly remembered: Pick<Remembered, "has" | "add">;
  /** Who made a call, with the rights of this moment; undefined when the token is gone. */
  readonly callerNow: (call: Pick<ToolCall, "caller" | "tokenId">) => Caller | undefined;
  /** What the person has decided, now. */
  readonly rules: () => HouseRules;
  /** Whether an agent's commands are asked about. */
  readonly terminals: TerminalPolicies;
  /** Tools that main answers itself. */
  readonly own: readonly OwnTool[];
  readonly audit: Pick<Audit, "write">;
  readonly onActivity: (activity: AgentActivity) => void;
  readonly now: () => Date;
  readonly clock: Clock;
}

export interface Performer {
  /** The rows that this caller is offered on this connection. */
  tools(caller: Caller, connection: string): readonly ToolRow[];
  /** Does what was asked, if it may be done. Undefined when the caller is not offered such a tool. */
  perform(call: ToolCall): Promise<CallToolResult | ComeBack | undefined>;
  /** A token has another limit: its count of calls starts over. */
  forgetLimit(caller: string): void;
  /** A token may do less than before: what was asked under its old rights closes, and its commands are asked about anew. */
  narrow(caller: string): void;
  /** A connection is no longer there: its questions close. */
  leave(connection: string): void;
  /** A token is gone: its questions close, its count of calls is over. Without a name, all questions close. */
  drop(caller?: string): void;
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
  const rows = [...parts.rows, ...parts.own.map(({ row }) => row)];
  const byName = new Map(rows.map((row) => [row.name, row]));
  const own = new Map(parts.own.map((tool) => [tool.row.name, tool]));
  /** Of two with one name ours counts, whatever an application declares. */
  const rowsOf = (link: Link): readonly ToolRow[] => [
    ...rows,
    ...link.applicationRows.filter(({ name }) => !byName.has(name)),
  ];
  const rowOf = (link: Link, name: string): ToolRow | ApplicationRow | undefined =>
    byName.get(name) ?? link.applicationRows.find((row) => row.name === name);
  const held = heldQuestions(parts.clock);
  const limiter = rateLimiter(() => parts.clock.nowMs());

  /** What the person only reads, or tries to, is not recorded: their screens do it all the time. */
  function record(
    { call, id, risk }: Passage,
    event: string,
    detail: Record<string, string | number | boolean>,
  ): Promise<void> {
    if (call.caller.kind === "user" && (risk === "read" || risk === undefined)) return Promise.resolve();
    const about = { call_id: id, tool: call.tool.slice(0, TOOL_CHARS), connection: call.connection };
    const user = auditUser(call.caller);
    return parts.audit.write({ ...call.remote, event, user, detail: { ...about, ...detail } });
  }

  function tell({ call, id, startedMs }: Passage, outcome: AgentActivity["outcome"], reason?: string): void {
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
      ...(reason === undefined ? {} : { reason }),
      ...(outcome === "started" || outcome === "asking" ? {} : { ms: now.getTime() - startedMs }),
    });
  }

  async function refuse(
    passage: Passage,
    reason: string,
    link: Link,
    error: ToolError,
  ): Promise<CallToolResult> {
    tell(passage, "refused", reason);
    await record(passage, "mcp.refused", { reason });
    return fromEngine(errorResult(error), link.meta);
  }

  /** Joins the question of an earlier request of this very call, or asks. */
  function question(passage: Passage, link: Link, row: ToolRow, args: Record<string, unknown>): Held {
    const { call } = passage;
    return held.open(
      {
        key: keyOf(call, args, row),
        caller: auditUser(call.caller),
        connection: call.connection,
        callId: passage.id,
      },
      (signal, attendance) => {
        const deadlineMs = () => parts.clock.nowMs() + EXPIRES_MS;
        const ask = () =>
          parts.consent.askCall({
            callId: passage.id,
            caller: call.caller,
            claim: call.claim,
            row,
            args,
            engine: { ...link.meta, name: link.name },
            signal,
            attendance,
            onRemember: rememberer(call, link, row),
            waiting: () => parts.terminals.waiting(call.caller.name),
            read: async (tool, readArgs) =>
              parts.terminals.read(tool) ??
              parts.hub.call(call.connection, tool, readArgs, { caller: "ironbridge", signal }),
          });
        const caller = () => parts.callerNow(call);
        return parts.terminals.inTurn({ caller, row, args, signal, attendance, deadlineMs }, ask);
      },
    );
  }

  function rememberer(call: ToolCall, link: Link, row: ToolRow): (() => void) | undefined {
    const subject = subjectOf(call, link, row);
    return subject === undefined ? undefined : () => parts.remembered.add(subject);
  }

  const isRemembered = (call: ToolCall, link: Link, row: ToolRow): boolean => {
    const subject = subjectOf(call, link, row);
    return subject !== undefined && parts.remembered.has(subject);
  };

  async function forward(
    passage: Passage,
    link: Link,
    row: ToolRow,
    args: Record<string, unknown>,
    decide: () => Verdict,
    approved: () => boolean,
    how: { readonly remembered?: true },
    onProgress: ToolCall["onProgress"],
  ): Promise<CallToolResult> {
    const { call } = passage;
    const written = record(passage, "mcp.call", { risk: row.risk, ...how });
    if (row.risk !== "read") await written; // what changes something is on disk before it is done
    if (call.signal.aborted) return refuse(passage, "the caller has gone", link, refusal("caller_gone"));
    // Rights may have been taken away, or everything stopped, while the record was written.
    const now = decide();
    if (now.verdict === "refuse") return refuse(passage, now.reason, link, now.error);
    if (now.verdict === "hidden" || (now.verdict === "ask" && !approved()))
      return refuse(passage, "rights have changed", link, RIGHTS_CHANGED);
    const tool = own.get(row.name);
    if (tool !== undefined) return ended(passage, await callOwnTool(tool, args, parts.clock));
    const confirmed = onlyAPersonConfirms(row) ? { ...args, confirm: true } : args;
    const result = await parts.hub.call(call.connection, call.tool, confirmed, {
      caller: call.caller.name,
      agent: call.caller.kind === "token" ? call.caller.name : undefined,
      signal: call.signal,
      onProgress,
    });
    if (row.risk !== "read") return fromEngine(ended(passage, withWhatIsKnown(result)), link.meta);
    // Some reads wait for most of a minute: what comes after the right to it was taken away is not told.
    const after = decide();
    if (after.verdict === "hidden") return refuse(passage, "rights have changed", link, RIGHTS_CHANGED);
    // What was right to ask, and of whom, stays right to tell. An error tells nothing but why there is nothing to read.
    const stays = result.isError === true || after === ENGINE_LEFT || after === TOOL_CHANGED;
    if (after.verdict === "refuse" && !stays) return refuse(passage, after.reason, link, after.error);
    return fromEngine(ended(passage, result), link.meta);
  }

  function ended(passage: Passage, result: CallToolResult): CallToolResult {
    const outcome = result.isError === true ? "error" : "ok";
    tell(passage, outcome, outcome === "error" ? errorOf(result).code : undefined);
    const ms = parts.now().getTime() - passage.startedMs;
    void record(passage, "mcp.result", { outcome, ms }); // never rejects
    return result;
  }

  /** The answer to the question of this call, or what to tell a caller that cannot wait any longer. */
  async function waitFor(passage: Passage, found: Held): Promise<Waited> {
    const { call } = passage;
    tell(passage, "asking");
    return whileWaiting(held.wait(found, call.signal, call.patience), call.onProgress);
  }

  function narrow(caller: string): void {
    held.drop({ caller: `token:${caller}` });
    parts.terminals.forget(caller);
  }

  return {
    tools(caller, connection) {
      const link = parts.hub.link(connection);
      if (link === undefined) return [];
      const rules = parts.rules();
      return rowsOf(link).filter((row) => hiddenBecause(caller, row, link.switches, rules) === undefined);
    },
    forgetLimit: (caller) => limiter.forget(caller),
    narrow,
    leave: (connection) => held.drop({ connection }),
    drop(caller) {
      if (caller === undefined) return held.drop();
      limiter.forget(caller);
      narrow(caller);
    },
    async perform(call) {
      const link = parts.hub.link(call.connection);
      if (link === undefined) return undefined;
      const row = rowOf(link, call.tool);
      const args = withTerminalDefaults(row, row === undefined ? call.args : withoutConfirm(row, call.args));
      const decide = (): Verdict => {
        // The caller comes first: what an engine that was left has said is not for a token that is gone.
        const caller = parts.callerNow(call);
        if (caller === undefined) return TOKEN_GONE;
        const now = parts.hub.link(call.connection);
        if (now === undefined) return ENGINE_LEFT;
        const verdict = parts.terminals.decide(
          gate(caller, row, now.switches, args, parts.rules()),
          caller,
          row,
        );
        // An application may take its tool away, or declare another under its name, at any time.
        return verdict.verdict === "hidden" || rowOf(now, call.tool) === row ? verdict : TOOL_CHANGED;
      };
      const verdict = decide();
      const found = verdict.verdict === "ask" ? held.find(keyOf(call, args, row), call.state) : undefined;
      const joined = typeof found === "object" ? found : undefined;
      const passage: Passage = {
        call,
        id: joined?.callId ?? randomUUID(),
        startedMs: parts.now().getTime(),
        risk: row?.risk,
      };
      if (verdict.verdict === "hidden" || row === undefined) {
        const reason = verdict.verdict === "hidden" ? verdict.reason : "unknown tool";
        tell(passage, "refused", reason);
        await record(passage, "mcp.refused", { reason });
        return undefined;
      }
      if (joined === undefined) {
        const seconds = limiter.take(call.caller);
        if (seconds !== undefined)
          return refuse(passage, "rate limit exceeded", link, tooFast(call.caller, seconds));
      }
      if (verdict.verdict === "refuse") return refuse(passage, verdict.reason, link, verdict.error);
      // A state is good for one question; where that is over, nobody is asked anew behind the caller's back.
      if (found === "unknown") return refuse(passage, "no such question", link, QUESTION_OVER);
      if (joined === undefined) tell(passage, "started");
      const remembered = verdict.verdict === "ask" && joined === undefined && isRemembered(call, link, row);
      const asks = verdict.verdict === "ask" && !remembered;
      if (asks) {
        const waited = await waitFor(passage, joined ?? question(passage, link, row, args));
        if ("comeBack" in waited) return waited;
        if ("pending" in waited) return fromEngine(errorResult(CONSENT_PENDING), link.meta);
        const { answer } = waited;
        if (!answer.approved)
          return refuse(passage, answer.error.reason ?? answer.error.code, link, answer.error);
        // The person may have taken rights away while they were asked.
        const again = decide();
        if (again.verdict === "refuse") return refuse(passage, again.reason, link, again.error);
        if (again.verdict === "hidden") return refuse(passage, "rights have changed", link, RIGHTS_CHANGED);
        parts.terminals.approved(call.caller, row);
      }
      passage.startedMs = parts.now().getTime();
      // Who was told of the waiting has had progress already, and it may only grow.
      return forward(
        passage,
        link,
        row,
        args,
        decide,
        () => asks || (remembered && isRemembered(call, link, row)),
        remembered ? { remembered } : {},
        asks ? undefined : call.onProgress,
      );
    },
  };
}

/** A name that an agent made up may be as long as a request; the audit keeps so much of it, in characters. */
const TOOL_CHARS = 128;

/** An agent's `confirm` is worth nothing: it is taken out, and only a person's answer puts one in. */
function withoutConfirm(row: ToolRow, args: Record<string, unknown>): Record<string, unknown> {
  if (!onlyAPersonConfirms(row)) return args;
  const { confirm: _, ...rest } = args;
  return rest;
}
