import { statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute } from "node:path";
import { LaunchError, resolveCommand } from "../loopback/launch.ts";
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

/** A login "shell" that runs nothing, as system users have. */
const NO_SHELLS = new Set(["nologin", "false", "true"]);
const FALLBACK_SHELLS = ["/bin/bash", "/bin/sh"];

/** @throws CannotStart with the reason: cwd, shell or environment */
export function planSession(
  request: RunRequest,
  given: { sessionId: string; environment: Readonly<Record<string, string>>; marker: string },
): SessionPlan {
  const { environment, sessionId, marker } = given;
  const cwd = request.cwd ?? environment["HOME"] ?? homedir();
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
  const at = { cwd, path: env["PATH"] };
  const shell = request.shell === undefined ? defaultShell(environment["SHELL"]) : request.shell;
  try {
    return { shell: resolveCommand(shell, at), cwd, env };
  } catch (cause) {
    if (cause instanceof LaunchError) throw new CannotStart(`shell: ${cause.message}`, { cause });
    throw cause;
  }
}

/** The person's shell, if it is one that runs something; else bash, else sh; on Windows its command interpreter. */
export function defaultShell(
  wanted: string | undefined,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === "win32") return wanted ?? process.env["COMSPEC"] ?? "C:\\Windows\\System32\\cmd.exe";
  const usable = (file: string | undefined) =>
    file !== undefined && isAbsolute(file) && !NO_SHELLS.has(basename(file)) && isExecutableFile(file);
  return [wanted, ...FALLBACK_SHELLS].find(usable) ?? "/bin/sh";
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

function isExecutableFile(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.isFile() ?? false) && mayExecute(file);
}
