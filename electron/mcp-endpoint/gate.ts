import { argumentError } from "../../mcp/contract/argument-error.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
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
  /** Everything was stopped: agents only read until the person lifts it. */
  readonly stopped: boolean;
}
export const NO_RULES: HouseRules = { extra: {}, stopped: false };

export type Verdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "ask" }
  /** The caller is not told that the tool exists. */
  | { readonly verdict: "hidden"; readonly reason: string }
  | { readonly verdict: "refuse"; readonly reason: string; readonly error: ToolError };

/** Whether this caller is offered this row on this connection. A reason says why not, for the audit only. */
export function hiddenBecause(
  caller: Caller,
  row: ToolRow | undefined,
  switches: Switches,
  rules: HouseRules = NO_RULES,
): string | undefined {
  if (row === undefined) return "unknown tool";
  if (row.for === (caller.kind === "user" ? "agent" : "app")) return "not for this kind of caller";
  if (row.mode === "terminal" && !switches.terminals) return "no terminals on this connection";
  if (!grants(caller.permissions, "mcp.call")) return "missing permission mcp.call";
  if (!grants(caller.permissions, row.permission)) return `missing permission ${row.permission}`;
  const extra = Object.hasOwn(rules.extra, row.name) ? rules.extra[row.name] : undefined;
  if (extra !== undefined && !grants(caller.permissions, extra)) return `missing permission ${extra}`;
  if (caller.kind === "token" && changesEngine(row)) {
    if (!grants(caller.permissions, "mcp.write")) return "missing permission mcp.write";
    if (!switches.agentsMayWrite) return "the connection is read-only for agents";
  }
  return undefined;
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
  const hidden = hiddenBecause(caller, row, switches, rules);
  if (hidden !== undefined || row === undefined)
    return { verdict: "hidden", reason: hidden ?? "unknown tool" };
  if (rules.stopped && caller.kind === "token" && row.risk !== "read")
    return { verdict: "refuse", reason: "everything was stopped", error: STOPPED };
  if (changesEngine(row) && !(caller.kind === "user" ? switches.personMayWrite : switches.agentsMayWrite)) {
    return refuse(
      "permission_denied",
      `The connection "${switches.name}" is read-only. Nothing was changed.`,
      {
        reason: "read_only",
        audit: "the connection is read-only",
      },
    );
  }
  const wrong = wrongArguments(row, args);
  if (wrong !== undefined) return { verdict: "refuse", reason: "wrong arguments", error: wrong };
  return { verdict: row.risk === "destructive" || row.risk === "irreversible" ? "ask" : "allow" };
}

/** Terminal rows change the machine, not the engine: their own permission and switch guard them. */
const changesEngine = (row: ToolRow): boolean => row.risk !== "read" && row.mode !== "terminal";

function wrongArguments(row: ToolRow, args: unknown): ToolError | undefined {
  try {
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

function refuse(code: string, sentence: string, why: { reason: string; audit: string }): Verdict {
  const error: ToolError = { error: sentence, code, reason: why.reason, retryable: false };
  return { verdict: "refuse", reason: why.audit, error };
}
