import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute } from "node:path";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import type { TerminalPolicy } from "../contract/tokens.ts";
import type { Verdict } from "../mcp-endpoint/gate.ts";
import type { Caller } from "../mcp-endpoint/permissions.ts";

/** A person who has said nothing is asked for an agent's first command of this start of the app. */
export const DEFAULT_TERMINAL_POLICY: TerminalPolicy = "once";

/** The rows that run something of the caller's choice with the person's rights: what is typed runs as well. */
const RUNS = new Set(["ironflow_terminal_run", "ironbridge_terminal_input"]);

/** Whether an agent's commands are asked about. It lives as long as this start of the app. */
export interface TerminalPolicies {
  /** What the gate's verdict becomes. */
  decide(verdict: Verdict, caller: Caller, row: ToolRow | undefined): Verdict;
  /** The person has approved a call of this caller. */
  approved(caller: Caller, row: ToolRow): void;
  /** Its token was taken away or changed: it is asked about anew. */
  forget(caller: string): void;
}

export function terminalPolicies(): TerminalPolicies {
  const known = new Set<string>();
  return {
    decide(verdict, caller, row) {
      if (verdict.verdict !== "allow" || caller.kind === "user" || row === undefined || !RUNS.has(row.name))
        return verdict;
      const policy = caller.terminalPolicy ?? DEFAULT_TERMINAL_POLICY;
      if (policy === "allow" || (policy === "once" && known.has(caller.name))) return verdict;
      return { verdict: "ask" };
    },
    approved(caller, row) {
      if (caller.kind === "token" && RUNS.has(row.name)) known.add(caller.name);
    },
    forget: (caller) => void known.delete(caller),
  };
}

/** Login "shells" that run nothing. */
const NO_SHELLS = new Set(["nologin", "false", "true"]);

/**
 * A command with its shell and folder, where the agent left them to us: what the person is shown is what is started, to
 * the letter.
 */
export function withTerminalDefaults(
  row: ToolRow | undefined,
  args: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, unknown> {
  if (row?.name !== "ironflow_terminal_run") return args;
  return {
    ...args,
    cwd: args["cwd"] ?? env["HOME"] ?? homedir(),
    shell: args["shell"] ?? ownShell(env["SHELL"]),
  };
}

function ownShell(wanted: string | undefined): string {
  const usable = (file: string | undefined): file is string =>
    file !== undefined && isAbsolute(file) && !NO_SHELLS.has(basename(file)) && isExecutable(file);
  return [wanted, "/bin/bash"].find(usable) ?? "/bin/sh";
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
