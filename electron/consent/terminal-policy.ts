import type { CallToolResult } from "@modelcontextprotocol/server";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import type { TerminalPolicy } from "../contract/tokens.ts";
import type { Verdict } from "../mcp-endpoint/gate.ts";
import type { Caller } from "../mcp-endpoint/permissions.ts";
import type { Answer, Attendance } from "./consent.ts";
import { lengthToShow, MAX_ARGUMENT_CHARS } from "./argument-rows.ts";
import { refusal, TOO_MANY_QUESTIONS } from "./outcomes.ts";
import type { Variables } from "../../loopback/environment.ts";
import { defaultFolder, defaultShell } from "../../loopback/shell-defaults.ts";

/** A person who has said nothing is asked for an agent's first command of this start of the app. */
export const DEFAULT_TERMINAL_POLICY: TerminalPolicy = "once";

/** The rows that run something of the caller's choice with the person's rights: what is typed runs as well. */
const RUNS = new Set(["ironflow_terminal_run", "ironbridge_terminal_input"]);

/** The row whose approval stands for more: what it says of itself in the question is that further commands run unasked. */
const UNLOCKS = "ironflow_terminal_run";

/** So many calls go with one answer at most: a person has to read them all before they say yes. */
const MAX_WAITING_CALLS = 32;

/** Whether an agent's commands are asked about. It lives as long as this start of the app. */
export interface TerminalPolicies {
  /** What the gate's verdict becomes. */
  decide(verdict: Verdict, caller: Caller, row: ToolRow | undefined): Verdict;
  /**
   * Asks about a call, one of a caller at a time where the first command's answer decides for all: the others wait for it,
   * go with it when it is yes, and are asked about in their turn when it is not, or when the rights have changed.
   */
  inTurn(call: CallInTurn, ask: () => Promise<Answer>): Promise<Answer>;
  /** The calls that wait for the answer to this caller's first command, and go with a yes, in the order they came. */
  waiting(caller: string): readonly WaitingCall[];
  /** What a question reads about terminals: every agent's, from main's own list. Undefined for other tools. */
  read(tool: string): CallToolResult | undefined;
  /** The person has approved a call of this caller. */
  approved(caller: Caller, row: ToolRow): void;
  /** Its token was taken away or changed: it is asked about anew. */
  forget(caller: string): void;
}

export interface WaitingCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface CallInTurn {
  /** The caller with the rights of this moment; undefined when its token is gone. */
  readonly caller: () => Caller | undefined;
  readonly row: ToolRow;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly attendance: Attendance;
  /** When a caller that is not there has to be back, on the clock of `attendance`, in ms. */
  readonly deadlineMs: () => number;
}

/**
 * @param sessions all terminals, as the bridge last told
 * @param onWaiting a call more, or less, waits for the answer to another
 */
export function terminalPolicies(
  sessions: () => readonly TerminalSession[] = () => [],
  onWaiting: () => void = () => {},
): TerminalPolicies {
  const known = new Set<string>();
  /** Callers whose first command is being asked about; resolves when that is over, whatever the answer. */
  const underWay = new Map<string, Promise<void>>();
  /** By caller: the calls, each with its length as it is shown, in characters. */
  const waitingCalls = new Map<string, Map<WaitingCall, number>>();
  const policyOf = (caller: Caller) => caller.terminalPolicy ?? DEFAULT_TERMINAL_POLICY;

  async function first(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    let over: () => void = () => {};
    underWay.set(name, new Promise<void>((resolve) => (over = resolve)));
    try {
      const answer = await ask();
      if (answer.approved) known.add(name);
      return answer;
    } finally {
      underWay.delete(name);
      over();
    }
  }

  /** Whether the question has place for so many characters more. */
  function hasPlace(name: string, chars: number): boolean {
    const others = [...(waitingCalls.get(name)?.values() ?? [])];
    const all = others.reduce((sum, length) => sum + length, chars);
    return others.length < MAX_WAITING_CALLS && all <= MAX_ARGUMENT_CHARS;
  }

  /**
   * Waits until the answer that stands for this call is there, in sight of the question about it.
   * @returns why it cannot: the question could not show it, or not with all the others
   */
  async function waitBehind(
    name: string,
    call: WaitingCall,
    signal: AbortSignal,
  ): Promise<ToolError | undefined> {
    const chars = lengthToShow(call.args);
    if (typeof chars !== "number") return chars;
    if (!hasPlace(name, chars)) return TOO_MANY_QUESTIONS;
    const calls = waitingCalls.get(name) ?? new Map<WaitingCall, number>();
    waitingCalls.set(name, calls.set(call, chars));
    try {
      for (let open = underWay.get(name); open !== undefined; open = underWay.get(name)) {
        onWaiting();
        await settledOrAborted(open, signal);
        if (signal.aborted) break;
      }
      return undefined;
    } finally {
      calls.delete(call);
      if (calls.size === 0) waitingCalls.delete(name);
      onWaiting();
    }
  }

  return {
    waiting: (caller) => [...(waitingCalls.get(caller)?.keys() ?? [])],
    async inTurn({ caller: callerNow, row, args, signal, attendance, deadlineMs }, ask) {
      const gone: Answer = { approved: false, error: refusal("caller_gone") };
      const caller = callerNow();
      if (caller === undefined) return gone;
      const { name } = caller;
      /** Whether one answer stands for all commands of this caller. It may have changed while this call waited. */
      const asksOnce = () => {
        const now = callerNow();
        return now?.kind === "token" && policyOf(now) === "once";
      };
      if (!RUNS.has(row.name) || !asksOnce()) return ask();
      if (underWay.has(name)) {
        const error = await waitBehind(name, { tool: row.name, args }, signal);
        if (error !== undefined) return { approved: false, error };
      }
      if (signal.aborted || callerNow() === undefined) return gone;
      if (!asksOnce()) return ask();
      if (!known.has(name)) return row.name === UNLOCKS ? first(name, ask) : ask();
      if (await attendance.arrived(deadlineMs())) return { approved: true };
      return signal.aborted ? gone : { approved: false, error: refusal("expired") };
    },
    read(tool) {
      if (tool !== "ironbridge_terminal_list") return undefined;
      return { content: [], structuredContent: { sessions: [...sessions()] } };
    },
    decide(verdict, caller, row) {
      if (verdict.verdict !== "allow" || caller.kind === "user" || row === undefined || !RUNS.has(row.name))
        return verdict;
      const policy = policyOf(caller);
      if (policy === "allow" || (policy === "once" && known.has(caller.name))) return verdict;
      return { verdict: "ask" };
    },
    approved(caller, row) {
      if (caller.kind === "token" && row.name === UNLOCKS) known.add(caller.name);
    },
    forget: (caller) => void known.delete(caller),
  };
}

async function settledOrAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  let done: () => void = () => {};
  const aborted = new Promise<void>((resolve) => (done = resolve));
  signal.addEventListener("abort", done);
  if (signal.aborted) done();
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", done);
}

/**
 * A command with its shell and folder, where the agent left them to us: what the person is shown is what is started, to
 * the letter.
 */
export function withTerminalDefaults(
  row: ToolRow | undefined,
  args: Record<string, unknown>,
  env: Variables = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, unknown> {
  if (row?.name !== "ironflow_terminal_run") return args;
  return {
    ...args,
    cwd: args["cwd"] ?? defaultFolder(env, platform),
    shell: args["shell"] ?? defaultShell(env, platform),
  };
}
