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
): string | undefined {
  if (row === undefined) return "unknown tool";
  if (row.for === (caller.kind === "user" ? "agent" : "app")) return "not for this kind of caller";
  if (row.mode === "terminal" && !switches.terminals) return "no terminals on this connection";
  if (!grants(caller.permissions, "mcp.call")) return "missing permission mcp.call";
  if (!grants(caller.permissions, row.permission)) return `missing permission ${row.permission}`;
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
export function gate(caller: Caller, row: ToolRow | undefined, switches: Switches, args: unknown): Verdict {
  const hidden = hiddenBecause(caller, row, switches);
  if (hidden !== undefined || row === undefined)
    return { verdict: "hidden", reason: hidden ?? "unknown tool" };
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
  if (wrong !== undefined) {
    return refuse("invalid_argument", wrong, { reason: "arguments", audit: "wrong arguments" });
  }
  return { verdict: row.risk === "destructive" || row.risk === "irreversible" ? "ask" : "allow" };
}

/** Terminal rows change the machine, not the engine: their own permission and switch guard them. */
const changesEngine = (row: ToolRow): boolean => row.risk !== "read" && row.mode !== "terminal";

function wrongArguments(row: ToolRow, args: unknown): string | undefined {
  try {
    const parsed = row.input.safeParse(args);
    if (parsed.success) return undefined;
    return parsed.error.issues
      .slice(0, SHOWN_ISSUES)
      .map((issue) => `${["arguments", ...issue.path.map(String)].join(".")}: ${issue.message}`)
      .join("; ");
  } catch {
    return "arguments: could not be checked";
  }
}

/** More would not help the caller to mend its call. */
const SHOWN_ISSUES = 8;

function refuse(code: string, sentence: string, why: { reason: string; audit: string }): Verdict {
  const error: ToolError = { error: sentence, code, reason: why.reason, retryable: false };
  return { verdict: "refuse", reason: why.audit, error };
}
