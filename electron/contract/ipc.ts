import * as z from "zod/v4";
import { SessionId, TERMINAL_LIMITS, TerminalSession, StopResponse } from "../../bridge/contract/api.ts";
import { TranscriptFormat } from "../../bridge/contract/port.ts";
import { ToolError } from "../../mcp/contract/errors.ts";
import { LiveTopic } from "../../mcp/contract/live.ts";
import { TerminalRecord } from "./terminals.ts";
import { Connection, ConnectionId } from "./connection.ts";
import { EngineInfo, EngineKey, EngineName, EngineTest, NewEngine } from "./engines.ts";
import { Probe, ProbeCall, ProbeId, ProbeOutcome, ProbeStart } from "./probe.ts";
import { AuditPage, AuditQuery } from "./audit.ts";
import {
  ExtraPermission,
  ExtraPermissions,
  LocalTokenInfo,
  NewToken,
  Permission,
  RateLimit,
  RememberedAnswer,
  TerminalPolicy,
  TokenChange,
  TokenInfo,
  TokenName,
} from "./tokens.ts";

/**
 * The main window's door. `requests`: the renderer asks, main answers. `events`: main tells, the renderer listens.
 * Both sides derive their types from these two maps; main parses what comes in and what goes out by the same row.
 */

const none = z.strictObject({});

/** The result of a tool as a screen uses it. A refusal or failure is a value, never an exception. */
export const ToolOutcome = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({ ok: z.literal(false), error: ToolError }),
]);
export type ToolOutcome = z.infer<typeof ToolOutcome>;

export const Theme = z.enum(["system", "dark", "light"]);
export const TimeZoneChoice = z.enum(["local", "utc"]);
export const Settings = z.object({ theme: Theme, time_zone: TimeZoneChoice });
export type Settings = z.infer<typeof Settings>;

/** Stops everything that agents do, wherever the keyboard's focus is. As Electron writes shortcuts. */
export const PANIC_SHORTCUT = "CommandOrControl+Alt+Shift+Escape";

/** Whether the person has stopped everything that agents do; then tokens only read. */
export const PanicState = z.object({ stopped: z.boolean(), since: z.string().optional() });
export type PanicState = z.infer<typeof PanicState>;

/** A question that was open when the app ended without a word. Nothing was changed by it. */
export const LeftOpenQuestion = z.object({ caller: z.string(), tool: z.string(), asked_at: z.string() });
export type LeftOpenQuestion = z.infer<typeof LeftOpenQuestion>;

const DONE_OR_NOT = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error: ToolError }),
]);

const ENGINE_OR_NOT = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), id: ConnectionId }),
  z.object({ ok: z.literal(false), error: ToolError }),
]);

export const PermissionsLost = z.object({ at: z.string(), problem: z.string() });

export const AppInfo = z.object({
  name: z.string(),
  version: z.string(),
  electron: z.string(),
  platform: z.string(),
  mcp_url: z.string(),
});
export type AppInfo = z.infer<typeof AppInfo>;

export const requests = {
  "app:info": { in: none, out: AppInfo },
  /** What of the profile could not be read at this start, what that costs and where it is kept: a sentence each. */
  "app:problems": { in: none, out: z.array(z.string()) },
  "settings:get": { in: none, out: Settings },
  "settings:set": { in: Settings.partial().strict(), out: Settings },
  "connections:list": { in: none, out: z.array(Connection) },
  /**
   * Lets the person or the agents change things on a connection, or no longer. Allowing asks in the consent window first;
   * taking it away happens at once. Kept for the next launch.
   */
  "connections:set-writes": {
    in: z.strictObject({
      connection: ConnectionId,
      who: z.enum(["person", "agents"]),
      allowed: z.boolean(),
    }),
    out: z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), connection: Connection }),
      z.object({ ok: z.literal(false), error: ToolError }),
    ]),
  },
  "connections:restart": { in: z.strictObject({ connection: ConnectionId }), out: none },
  "engines:list": { in: none, out: z.array(EngineInfo) },
  /** Whether keys are kept over a restart. */
  "engines:key-store": { in: none, out: z.object({ keeps: z.boolean() }) },
  /** Asks in the consent window first: a new address raises rights. The key never comes back. */
  "engines:add": { in: NewEngine, out: ENGINE_OR_NOT },
  /** Another engine for pages and agents, at once. Questions about the one before close unanswered. */
  "engines:switch": { in: z.strictObject({ id: ConnectionId }), out: ENGINE_OR_NOT },
  "engines:rename": { in: z.strictObject({ id: ConnectionId, name: EngineName }), out: ENGINE_OR_NOT },
  /** Null takes the key away. */
  "engines:set-key": {
    in: z.strictObject({ id: ConnectionId, api_key: EngineKey.nullable() }),
    out: ENGINE_OR_NOT,
  },
  "engines:remove": { in: z.strictObject({ id: ConnectionId }), out: ENGINE_OR_NOT },
  "engines:test": {
    in: z.strictObject({ id: ConnectionId }),
    out: z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), test: EngineTest }),
      z.object({ ok: z.literal(false), error: ToolError }),
    ]),
  },
  /** Calls a row of the tool table as caller `user`; main checks the arguments by that row. */
  "tool:call": {
    in: z.strictObject({
      connection: ConnectionId,
      tool: z.string().min(1).max(64),
      arguments: z.record(z.string(), z.unknown()),
    }),
    out: ToolOutcome,
  },
  "tokens:list": { in: none, out: z.array(TokenInfo) },
  "tokens:local": { in: none, out: LocalTokenInfo },
  /** Asks in the consent window first: a new token raises rights. */
  "tokens:create": {
    in: z.strictObject({
      name: TokenName,
      permissions: z.array(Permission).min(1).max(32),
      rate_limit: RateLimit.optional(),
      terminal_policy: TerminalPolicy.optional(),
    }),
    out: z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), created: NewToken }),
      z.object({ ok: z.literal(false), error: ToolError }),
    ]),
  },
  /** Giving more asks in the consent window first; taking away happens at once. */
  "tokens:change": {
    in: TokenChange,
    out: z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), info: TokenInfo }),
      z.object({ ok: z.literal(false), error: ToolError }),
    ]),
  },
  /** The tools that agents can be offered, and the permission the person put on each beside its own. */
  "tools:permissions": {
    in: none,
    out: z.object({
      tools: z.array(z.object({ name: z.string(), title: z.string(), permission: z.string() })),
      extra: ExtraPermissions,
      /** Some were lost with a damaged file: until the person says that they are complete, most tokens see no tool. */
      lost: PermissionsLost.nullable(),
    }),
  },
  /** The person has put back what was lost. Asks in the consent window first. */
  "tools:permissions-complete": { in: none, out: DONE_OR_NOT },
  /** Putting one on takes rights away and happens at once; another one, or none, asks first. */
  "tools:set-permission": {
    in: z.strictObject({ tool: z.string().min(1).max(64), permission: ExtraPermission.nullable() }),
    out: DONE_OR_NOT,
  },
  "audit:query": { in: AuditQuery, out: AuditPage },
  "remembered:list": { in: none, out: z.array(RememberedAnswer) },
  "remembered:forget": {
    in: z.strictObject({ id: z.string().max(64) }),
    out: z.object({ forgotten: z.boolean() }),
  },
  "panic:state": { in: none, out: PanicState },
  /** Stops every agent terminal, refuses every question, makes every token read-only. Answers once it is done. */
  "panic:stop": { in: none, out: PanicState },
  /** Takes the shortcut of the whole desktop, if it can be had now: another program may have it. */
  "panic:take-shortcut": { in: none, out: z.object({ taken: z.boolean() }) },
  /** Asks in the consent window first. */
  "panic:lift": { in: none, out: DONE_OR_NOT },
  /** What an earlier life of the app could not say any more. */
  "questions:left-open": { in: none, out: z.array(LeftOpenQuestion) },
  "tokens:revoke": {
    in: z.strictObject({ name: z.string().min(1).max(64) }),
    out: z.object({ revoked: z.boolean() }),
  },
  /** Connects as an agent of each era does, with a token of its own. More than reading asks in the consent window first. */
  "probe:open": {
    in: ProbeStart,
    out: z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), probe: Probe }),
      z.object({ ok: z.literal(false), error: ToolError }),
    ]),
  },
  /** Ends when the call does: a question to the person keeps it open. */
  "probe:call": {
    in: ProbeCall,
    out: z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), outcome: ProbeOutcome }),
      z.object({ ok: z.literal(false), error: ToolError }),
    ]),
  },
  "probe:close": { in: z.strictObject({ probe: ProbeId }), out: z.object({ closed: z.boolean() }) },
  "terminals:list": { in: none, out: z.array(TerminalSession) },
  /**
   * The port arrives in the page as a `message` event `{ type: "ironbridge:terminal", attach_id }` with one port: by its own
   * id, not by the session's, a port is told from one that was asked for before.
   */
  "terminals:attach": {
    in: z.strictObject({ session_id: SessionId, attach_id: z.uuid() }),
    out: z.object({ attached: z.boolean() }),
  },
  /** The tabs that a person who looks at the window sees now: nobody needs to be told of what waits there. */
  "terminals:in-view": {
    in: z.strictObject({ session_ids: z.array(SessionId).max(TERMINAL_LIMITS.sessions) }),
    out: none,
  },
  "terminals:stop": { in: z.strictObject({ session_id: SessionId }), out: StopResponse },
  /** Not closed, with what Stop saw: something of it lives on, and its tab stays. */
  "terminals:close": {
    in: z.strictObject({ session_id: SessionId }),
    out: z.object({ closed: z.boolean(), response: StopResponse.optional() }),
  },
  /** Runs the same command once more in a tab of its own. Null: it is gone, or there is no room. */
  "terminals:restart": {
    in: z.strictObject({ session_id: SessionId }),
    out: z.object({ started: SessionId.nullable() }),
  },
  /** Asks for a file and writes the transcript there. Both null: the person thought better of it. */
  "terminals:save": {
    in: z.strictObject({ session_id: SessionId, format: TranscriptFormat }),
    out: z.object({ path: z.string().nullable(), problem: z.string().nullable() }),
  },
  /** "" takes the name away. */
  "terminals:rename": {
    in: z.strictObject({ session_id: SessionId, name: z.string().max(TERMINAL_LIMITS.nameChars) }),
    out: z.object({ renamed: z.boolean() }),
  },
  /** The whole command, where the list has only its beginning. Null: it is gone. */
  "terminals:command": {
    in: z.strictObject({ session_id: SessionId }),
    out: z.object({ command: z.string().nullable() }),
  },
  /** Opens a web address in the person's browser; the page has asked them. */
  "terminals:open-link": {
    in: z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(8_192) }),
    out: none,
  },
  /** Every process that agents started, and the proof of its end, newest first. */
  "terminals:history": { in: none, out: z.array(TerminalRecord) },
  /** Brings the consent window to the front, if a question waits. */
  "questions:show": { in: none, out: z.object({ waiting: z.number().int() }) },
} satisfies Record<string, { in: z.ZodType; out: z.ZodType }>;

/** One call that an agent made, as the activity strip shows it. Argument values are never in it. */
export const AgentActivity = z.object({
  call_id: z.string(),
  at: z.string(),
  caller: z.string(),
  client_claim: z.string().optional(),
  tool: z.string(),
  connection: z.string(),
  outcome: z.enum(["started", "ok", "error", "refused", "asking"]),
  /** Why it was refused, or the code of its error: as the audit has it. */
  reason: z.string().optional(),
  ms: z.number().optional(),
});
export type AgentActivity = z.infer<typeof AgentActivity>;

export const events = {
  "connections:changed": z.array(Connection),
  "engines:changed": z.array(EngineInfo),
  "data:changed": z.object({ connection: ConnectionId, topic: LiveTopic }),
  "tokens:changed": z.array(TokenInfo),
  "terminals:changed": z.array(TerminalSession),
  /** What agents started is to be read again. Output alone changes nothing about it. */
  "terminals:history-changed": none,
  "agents:activity": AgentActivity,
  "questions:waiting": z.object({ waiting: z.number().int() }),
  "settings:changed": Settings,
  "remembered:changed": z.array(RememberedAnswer),
  "panic:changed": PanicState,
  /** A deep link or a menu asks for a page. The path is one of the renderer's own routes. */
  navigate: z.object({ path: z.string().max(256) }),
} satisfies Record<string, z.ZodType>;

export type RequestName = keyof typeof requests;
export type EventName = keyof typeof events;
export type RequestIn<N extends RequestName> = z.input<(typeof requests)[N]["in"]>;
export type RequestOut<N extends RequestName> = z.output<(typeof requests)[N]["out"]>;
export type EventBody<N extends EventName> = z.output<(typeof events)[N]>;

/** What main implements: one handler per row, so a missing one is a compile error. */
export type Handlers = {
  [N in RequestName]: (argument: z.output<(typeof requests)[N]["in"]>) => Promise<RequestOut<N>>;
};
