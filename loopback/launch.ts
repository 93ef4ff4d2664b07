import {
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type IOType,
  type SpawnOptions,
} from "node:child_process";
import { statSync } from "node:fs";
import { isAbsolute, posix, win32 } from "node:path";
import { lastingMarks } from "./lasting-mark.ts";
import { signalGroup } from "./signals.ts";
import { mayExecute } from "./may-execute.ts";

export interface Command {
  command: string;
  args: readonly string[];
}

/** What may be said about descriptors 0, 1 and 2. There is no fourth: the launcher closes everything above 2. */
export type LaunchStdio = readonly [LaunchStream, LaunchStream, LaunchStream];
export type LaunchStream = Exclude<IOType, "ipc" | "overlapped"> | number;

export interface LaunchOptions extends Command {
  /** Absolute. */
  cwd: string;
  /** The child's whole environment (`ownProcessEnv` makes one). The launcher adds nothing but `SHLVL=0` when it has none. */
  env: Readonly<Record<string, string>>;
  /** Default: three pipes. */
  stdio?: LaunchStdio;
}

export type LaunchProblem = "no-launcher" | "no-cwd" | "no-command" | "not-executable" | "spawn-failed";

/** The child was not started. The message says why and is fit to be shown. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
  readonly problem: LaunchProblem;
  constructor(problem: LaunchProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

const BASH_PLACES = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/**
 * Closes every descriptor above 2, then becomes the command: same pid, same start time.
 * $1 holds the variables that bash exports by itself and the caller did not give, $2 and $3 the lasting marks, hard and soft,
 * or nothing. The list of descriptors is made before the
 * first is closed. Bash 3 (macOS) cannot close a descriptor by a variable's value, hence the eval. Nothing is run when the
 * descriptors cannot be listed.
 */
const CLOSE_AND_EXEC = `
export -n SHELLOPTS BASHOPTS $1
[ -z "$2" ] || { ulimit -x $2; ulimit -Sx $3; } 2>/dev/null
shift 3
d=/proc/self/fd; [ -d $d ] || d=/dev/fd
for f in $d/*; do
  n=\${f##*/}
  case $n in
    0|1|2) ;;
    *[!0-9]*) echo "launch: cannot list open descriptors in $d" >&2; exit 126 ;;
    *) if [ \${BASH_VERSINFO[0]} -gt 4 ]; then exec {n}>&-; else eval "exec $n>&-"; fi ;;
  esac
done
exec -- "$@"`;

/** Bash sets and exports these by itself; a caller that did not give them does not want them. */
const SET_BY_BASH = ["PWD", "OLDPWD", "_"];

/**
 * The command line of the launcher, for callers that must spawn by themselves (node-pty). On Windows, where nothing is
 * inherited unasked, the command as it is. Give the `env` you will spawn with, so that the launcher adds nothing to it;
 * `SHELLOPTS` and `BASHOPTS` do not get through. A command without a slash is looked up in that environment's PATH, and one
 * that cannot be run ends with status 127 or 126 and a line on stderr: ask `resolveCommand` before.
 * @throws LaunchError `no-launcher` when there is no bash
 */
export function launchCommand(
  command: Command,
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): { command: string; args: string[] } {
  if (platform === "win32") return { command: command.command, args: [...command.args] };
  const unset = SET_BY_BASH.filter((name) => env[name] === undefined).join(" ");
  // --norc: with a socket as stdin, which Node's pipes are, bash takes itself for a remote shell's and would run ~/.bashrc.
  // -p: reads no BASH_ENV, takes no functions and no shell options from the environment.
  const { hard = "", soft = "" } = (platform === "linux" ? lastingMarks(env) : undefined) ?? {};
  const script = ["--norc", "-p", "-c", CLOSE_AND_EXEC, "launch", unset, hard, soft];
  return { command: findBash(), args: [...script, command.command, ...command.args] };
}

/**
 * Starts a child through the launcher: own session and process group (its pid is the number of both), no descriptor above 2,
 * exactly the environment given. Whatever is left of its group when it exits is killed. `error` is handled; watch `exit`.
 * @throws LaunchError when the child cannot be started; nothing is running then
 */
export function launch(options: LaunchOptions & { stdio?: undefined }): ChildProcessWithoutNullStreams;
export function launch(options: LaunchOptions): ChildProcess;
export function launch(options: LaunchOptions): ChildProcess {
  const plan = launchPlan(options);
  let child: ChildProcess;
  try {
    child = spawn(plan.command, plan.args, plan.options);
  } catch (cause) {
    throw new LaunchError("spawn-failed", `cannot start ${options.command}: ${String(cause)}`, { cause });
  }
  child.on("error", () => {
    // A failed spawn is thrown below; a failed kill is told by its return value; without this line either ends the process.
  });
  const { pid } = child;
  if (pid === undefined)
    throw new LaunchError("spawn-failed", `cannot start ${options.command}: the system gave no process`);
  if (plan.options.detached === true)
    child.once("exit", () => {
      // Right after the exit was reaped, before the number can mean another group.
      signalGroup(pid, "SIGKILL");
    });
  return child;
}

/** What `launch` spawns, checked but not started. @throws LaunchError */
export function launchPlan(
  options: LaunchOptions,
  platform: NodeJS.Platform = process.platform,
): { command: string; args: string[]; options: SpawnOptions } {
  const { cwd, env } = options;
  const stdio = [...(options.stdio ?? (["pipe", "pipe", "pipe"] as const))];
  if (!isAbsolute(cwd) || !isFolder(cwd)) throw new LaunchError("no-cwd", `no such folder: ${cwd}`);
  if (platform === "win32")
    return {
      ...launchCommand(options, env, platform),
      options: { cwd, env: { ...env }, stdio, windowsHide: true, shell: false },
    };
  const command = resolveCommand(options.command, { cwd, path: env["PATH"] });
  return {
    ...launchCommand({ command, args: options.args }, env, platform),
    options: { cwd, env: { ...env }, stdio, detached: true, shell: false },
  };
}

export interface LookUp {
  cwd: string;
  /** The value of PATH. */
  path: string | undefined;
  /** The value of PATHEXT; heeded on Windows only. */
  extensions?: string | undefined;
  /** Default `process.platform`. */
  platform?: NodeJS.Platform;
  isFile?: (file: string) => boolean;
}

/** What Windows starts where nobody says more. */
const WINDOWS_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";

/**
 * The absolute path of what a command names, looked up as a POSIX shell does: with a slash it is relative to `cwd`, else the
 * first executable file in `path`. On Windows its own separators do as well, a name may go without its extension, and the
 * folder it is started from is not searched.
 * @throws LaunchError `no-command` or `not-executable`
 */
export function resolveCommand(command: string, at: LookUp): string {
  const { platform = process.platform, isFile = isRegularFile } = at;
  const windows = platform === "win32";
  const paths = windows ? win32 : posix;
  const isPath = windows ? /[\\/:]/.test(command) : command.includes("/");
  const path = at.path ?? (windows ? "" : "/usr/bin:/bin");
  const folders = isPath
    ? [at.cwd]
    : path.split(paths.delimiter).filter((folder) => folder !== "" || !windows);
  const names = windows ? windowsNames(command, at.extensions) : [command];
  let unfit: string | undefined;
  for (const folder of folders)
    for (const name of names) {
      // There a folder may be in quotes.
      const file = paths.resolve(at.cwd, windows ? folder.replaceAll('"', "") : folder, name);
      if (command === "" || !isFile(file)) continue;
      if (windows || mayExecute(file)) return file;
      unfit ??= file;
    }
  if (unfit !== undefined) throw new LaunchError("not-executable", `not executable: ${unfit}`);
  throw new LaunchError("no-command", `no such command: ${command}`);
}

/** What a name may mean there, in the order in which it is looked for: a file without an extension is no program. */
function windowsNames(command: string, extensions = WINDOWS_EXTENSIONS): string[] {
  const more = extensions.split(";").filter((extension) => extension.startsWith("."));
  const named = win32.extname(command) === "" ? [] : [command];
  return [...named, ...more.map((extension) => command + extension)];
}

/** @throws LaunchError `no-launcher` when bash is in none of these places */
export function findBash(places: readonly string[] = BASH_PLACES): string {
  const bash = places.find(mayExecute);
  if (bash !== undefined) return bash;
  throw new LaunchError(
    "no-launcher",
    `children are started through bash, which is in none of ${places.join(", ")}`,
  );
}

function isRegularFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
