import { argumentError } from "../../mcp/contract/argument-error.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { isApplicationRow } from "./application-rows.ts";
import { grants, type Caller } from "./permissions.ts";

/** The switches of a connection, as the gate needs them. */
export interface Switches {
  readonly name: string;
  readonly personMayWrite: boolean;
  readonly agentsMayWrite: boolean;
  /** Whether the terminal tools are served on it. */
  readonly terminals: boolean;
}

/** What the person has decided for all connections. */
export interface HouseRules {
  /** By tool: the permission that it needs beside that of its row. */
  readonly extra: Readonly<Record<string, string>>;
  /** They were lost with a damaged file: any tool may have had one, of any name. */
  readonly extraLost: boolean;
  /** Everything was stopped: agents only read until the person lifts it. */
  readonly stopped: boolean;
}
export const NO_RULES: HouseRules = { extra: {}, extraLost: false, stopped: false };

/** Held by who holds every permission of the form `mcp.name`, and by nobody else: it is no permission's name. */
const ANY_OF_MCP = "mcp.";

export type Verdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "ask" }
  /** The caller is not told that the tool exists. */
  | { readonly verdict: "hidden"; readonly reason: string }
  | { readonly verdict: "refuse"; readonly reason: string; readonly error: ToolError };

/** What keeps a row from a caller. With an error, permissions would do and the connection's switch does not. */
interface Bar {
  readonly reason: string;
  readonly error?: ToolError;
}

/** Permissions come before switches: who may not call a tool learns nothing of it. */
function barOf(caller: Caller, row: ToolRow, switches: Switches, rules: HouseRules): Bar | undefined {
  if (row.for === (caller.kind === "user" ? "agent" : "app"))
    return { reason: "not for this kind of caller" };
  const changes = changesEngine(row);
  const extra = Object.hasOwn(rules.extra, row.name) ? rules.extra[row.name] : undefined;
  const needed = ["mcp.call", row.permission];
  if (extra !== undefined) needed.push(extra);
  if (changes) needed.push("mcp.write");
  const missing = needed.find((permission) => !grants(caller.permissions, permission));
  if (missing !== undefined) return { reason: `missing permission ${missing}` };
  if (rules.extraLost && !grants(caller.permissions, ANY_OF_MCP))
    return { reason: "the permissions of single tools were lost" };
  if (row.mode === "terminal" && !switches.terminals)
    return { reason: "no terminals on this connection", error: noTerminals(switches.name) };
  if (changes && caller.kind === "token" && !switches.agentsMayWrite)
    return { reason: "the connection is read-only for agents", error: agentsOnlyRead(switches.name) };
  return undefined;
}

/** Whether this caller is offered this row on this connection. A reason says why not, for the audit only. */
export function hiddenBecause(
  caller: Caller,
  row: ToolRow,
  switches: Switches,
  rules: HouseRules = NO_RULES,
): string | undefined {
  return barOf(caller, row, switches, rules)?.reason;
}

/**
 * Decides about one call before anything is done: the caller's permissions, the connection's switches, the row's risk, the
 * arguments. Pure. A check that throws refuses.
 * @param args as the caller sent them, `confirm` already taken out where only a person may confirm
 */
export function gate(
  caller: Caller,
  row: ToolRow | undefined,
  switches: Switches,
  args: unknown,
  rules: HouseRules = NO_RULES,
): Verdict {
  if (row === undefined) return { verdict: "hidden", reason: "unknown tool" };
  const bar = barOf(caller, row, switches, rules);
  if (bar?.error !== undefined) return { verdict: "refuse", reason: bar.reason, error: bar.error };
  if (bar !== undefined) return { verdict: "hidden", reason: bar.reason };
  if (rules.stopped && caller.kind === "token" && row.risk !== "read")
    return { verdict: "refuse", reason: "everything was stopped", error: STOPPED };
  if (caller.kind === "user" && changesEngine(row) && !switches.personMayWrite)
    return {
      verdict: "refuse",
      reason: "the connection is read-only",
      error: {
        error: `The connection "${switches.name}" is read-only. Nothing was changed.`,
        code: "permission_denied",
        reason: "read_only",
        retryable: false,
      },
    };
  const wrong = wrongArguments(row, args);
  if (wrong !== undefined) return { verdict: "refuse", reason: "wrong arguments", error: wrong };
  const asks = row.risk === "destructive" || row.risk === "irreversible";
  return { verdict: asks && !isTrial(row, args) ? "ask" : "allow" };
}

/** Terminal rows change the machine, not the engine: their own permission and switch guard them. */
const changesEngine = (row: ToolRow): boolean => row.risk !== "read" && row.mode !== "terminal";

/** Only says what would happen. The arguments have been checked. */
const isTrial = ({ trial }: ToolRow, args: unknown): boolean =>
  trial !== undefined && (args as Readonly<Record<string, unknown>>)[trial] === true;

function wrongArguments(row: ToolRow, args: unknown): ToolError | undefined {
  try {
    if (isApplicationRow(row)) {
      const error = row.application.check(args);
      return error === undefined ? undefined : { ...error, reason: "arguments" };
    }
    const parsed = row.input.safeParse(args, { reportInput: true });
    if (parsed.success) return undefined;
    return { ...argumentError(row.name, parsed.error, row.input), reason: "arguments" };
  } catch {
    return {
      error: "arguments: could not be checked. Nothing was changed.",
      code: "invalid_argument",
      reason: "arguments",
      retryable: false,
    };
  }
}

export const STOPPED: ToolError = {
  error:
    "The person stopped everything that agents do. Until they lift it, agents only read. Nothing was changed.",
  code: "permission_denied",
  reason: "stopped",
  retryable: false,
  hint: "Do not send this call again unless the person asks you to.",
};

// A caller that may use such a tool hears why it cannot here, and whose hand it takes.

const agentsOnlyRead = (connection: string): ToolError => ({
  error: `The connection "${connection}" is read-only for agents. Nothing was changed.`,
  code: "permission_denied",
  reason: "read_only",
  retryable: false,
  hint: "Only the person can allow agents to change things there, in Ironbridge under Settings. Ask them; do not call again before.",
});

const noTerminals = (connection: string): ToolError => ({
  error: `No terminals are served on the connection "${connection}". Nothing was run.`,
  code: "permission_denied",
  reason: "no_terminals",
  retryable: false,
  hint: "Only the person can change that: they start Ironbridge with --terminals. Ask them; do not call again before.",
});
