import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { variable } from "../loopback/environment.ts";
import { LaunchError, resolveCommand } from "../loopback/launch.ts";
import { defaultFolder, defaultShell } from "../loopback/shell-defaults.ts";
import type { RunRequest } from "./contract/api.ts";
import { environmentProblem, terminalEnvironment } from "./terminal-environment.ts";
import { mayExecute } from "../loopback/may-execute.ts";

/** What will be spawned, checked. */
export interface SessionPlan {
  /** Absolute path of the shell. */
  shell: string;
  cwd: string;
  env: Record<string, string>;
}

/** The command cannot be started as it was asked for. The message is for whoever asked. */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/** @throws CannotStart with the reason: cwd, shell or environment */
export function planSession(
  request: RunRequest,
  given: { sessionId: string; environment: Readonly<Record<string, string>>; marker: string },
): SessionPlan {
  const { environment, sessionId, marker } = given;
  const cwd = request.cwd ?? defaultFolder(environment);
  const problem = folderProblem(cwd);
  if (problem !== undefined) throw new CannotStart(`cwd: ${problem}: ${cwd}`);
  const env = terminalEnvironment({
    base: environment,
    requested: request.env ?? {},
    marker,
    sessionId,
    cwd,
  });
  const tooLarge = environmentProblem(env);
  if (tooLarge !== undefined) throw new CannotStart(`env: ${tooLarge}`);
  const at = { cwd, path: variable(env, "PATH"), extensions: variable(env, "PATHEXT") };
  const shell = request.shell ?? defaultShell(environment);
  try {
    return { shell: resolveCommand(shell, at), cwd, env };
  } catch (cause) {
    if (cause instanceof LaunchError) throw new CannotStart(`shell: ${cause.message}`, { cause });
    throw cause;
  }
}

function folderProblem(folder: string): string | undefined {
  if (!isAbsolute(folder)) return "not an absolute path";
  try {
    if (!statSync(folder).isDirectory()) return "not a folder";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return code === "ENOENT" ? "no such folder" : `cannot be looked at (${code})`;
  }
  return mayExecute(folder) ? undefined : "not allowed to enter";
}
