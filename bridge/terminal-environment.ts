import { SESSION_MARKER, TERMINAL_MARKER } from "../loopback/environment.ts";

/** Linux takes no longer `NAME=value` (MAX_ARG_STRLEN), in bytes, the closing zero included. */
const MAX_VARIABLE_BYTES = 128 * 1024;
/** Well below the smallest system's limit on arguments and environment together (macOS: 1 MiB). */
const MAX_ENVIRONMENT_BYTES = 768 * 1024;

/** Ours, secrets among them, or meant for our own processes; Electron sets the last two for itself. */
const OURS =
  /^(IRONBRIDGE_.*|IRONFLOW_TERMINAL_BRIDGE_TOKEN|IRONFLOW_API_KEY|ELECTRON_.*|NODE_OPTIONS|CHROME_DESKTOP|ORIGINAL_XDG_CURRENT_DESKTOP)$/;

/** They describe the terminal, or the shell, from which the app or its login shell was started: not this one. */
const OF_ANOTHER_TERMINAL = new Set(
  "TERM TERM_PROGRAM TERM_PROGRAM_VERSION TERMCAP COLUMNS LINES WINDOWID TMUX TMUX_PANE STY WINDOW SHLVL PWD OLDPWD _".split(
    " ",
  ),
);

export interface TerminalEnvironment {
  /** The login shell's variables, or the app's own. */
  base: Readonly<Record<string, string | undefined>>;
  /** What the caller asked for; wins over `base`. Our own names are refused before (contract/api.ts). */
  requested: Readonly<Record<string, string>>;
  /** This life of the app. */
  marker: string;
  sessionId: string;
  cwd: string;
  /** Default `process.platform`. */
  platform?: NodeJS.Platform;
}

/** The whole environment of a command in a terminal. */
export function terminalEnvironment(options: TerminalEnvironment): Record<string, string> {
  const { base, requested, marker, sessionId, cwd, platform = process.platform } = options;
  // On Windows Path and PATH are one: of two that are handed on nobody knows which counts.
  const keyOf = (name: string) => (platform === "win32" ? name.toUpperCase() : name);
  const replaced = new Set(Object.keys(requested).map(keyOf));
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base))
    if (value !== undefined && !OF_ANOTHER_TERMINAL.has(name) && !replaced.has(keyOf(name)))
      env[name] = value;
  return {
    ...withoutOurs(env),
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    TERM_PROGRAM: "Ironbridge",
    ...requested,
    PWD: cwd,
    [SESSION_MARKER]: marker,
    [TERMINAL_MARKER]: sessionId,
  };
}

/** A copy without our own variables: what a shell of the person's may inherit from us. */
export function withoutOurs(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !OURS.test(name)) kept[name] = value;
  return kept;
}

/** Why the system would not take this environment, or undefined. */
export function environmentProblem(env: Readonly<Record<string, string>>): string | undefined {
  let total = 0;
  for (const [name, value] of Object.entries(env)) {
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value) + 2;
    if (bytes > MAX_VARIABLE_BYTES) return `environment variable ${name} is over ${MAX_VARIABLE_BYTES} bytes`;
    total += bytes;
  }
  return total > MAX_ENVIRONMENT_BYTES ? `the environment is over ${MAX_ENVIRONMENT_BYTES} bytes` : undefined;
}
