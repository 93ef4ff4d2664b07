/** Name of the variable that every process of one life of the app carries. Its value is an identifier, not a secret. */
export const SESSION_MARKER = "IRONBRIDGE_SESSION";

/** Every process of one terminal carries it, with the session's id: how those that left its process group are found. */
export const TERMINAL_MARKER = "IRONBRIDGE_TERMINAL";

/** An environment, or a copy of one. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of a variable, also in a copy: there nobody else heeds that Windows spells one name in several ways (Path, PATH). */
export function variable(
  env: Variables,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform !== "win32") return env[name];
  const wanted = name.toUpperCase();
  return Object.entries(env).find(([key, value]) => value !== undefined && key.toUpperCase() === wanted)?.[1];
}

export interface OwnEnvironment {
  /** Identifier of this life of the app, the value of `IRONBRIDGE_SESSION`. Left out only for the reaper itself. */
  session?: string;
  /** Set on top: what this one child needs and nobody else may see. */
  extra?: Readonly<Record<string, string>>;
  /** What is inherited from; default `process.env`. */
  from?: Readonly<Record<string, string | undefined>>;
  /** Default `process.platform`. */
  platform?: NodeJS.Platform;
}

const POSIX_NAMES = [
  // who and where
  "HOME PATH USER LOGNAME SHELL PWD",
  // how text and times look
  "LANG LANGUAGE TZ TERM",
  // where files go
  "TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR",
  // the person's desktop
  "DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS",
];

const WINDOWS_NAMES = [
  // without SystemRoot sockets and random numbers fail; without PATHEXT nothing is found
  "SYSTEMROOT WINDIR SYSTEMDRIVE COMSPEC PATHEXT PATH OS PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS",
  "USERNAME USERDOMAIN USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA",
  "PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 COMMONPROGRAMFILES TEMP TMP LANG TZ",
];

/*
 * Denied because they are not in the lists above:
 * - IRONBRIDGE_*, IRONFLOW_*: our own tokens and keys; the one child that needs one gets it by `extra`.
 * - *_TOKEN, *_KEY, *_SECRET, AWS_*, GITHUB_*, ...: the person's secrets; our processes have no use for them.
 * - NODE_OPTIONS, NODE_PATH, ELECTRON_*, BASH_ENV, ENV, SHELLOPTS, PROMPT_COMMAND: run code or open a debugger in our children.
 * - LD_*, DYLD_*, GCONV_PATH: load other code into them.
 * - HTTP_PROXY and relatives: hold passwords, and loopback needs no proxy.
 * - SSH_*, GPG_*, *_ASKPASS: doors to the person's agents.
 * - npm_*, INIT_CWD: how the app was started is no business of its children.
 */

/** The environment of one of our own processes: an allow-list of the parent's, the session's marker, and `extra`. */
export function ownProcessEnv(options: OwnEnvironment = {}): Record<string, string> {
  const { from = process.env, platform = process.platform } = options;
  const windows = platform === "win32";
  const allowed = new Set((windows ? WINDOWS_NAMES : POSIX_NAMES).flatMap((names) => names.split(" ")));
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined) continue;
    // Windows spells the same name in several ways (Path, PATH).
    const isAllowed = windows ? allowed.has(name.toUpperCase()) : allowed.has(name) || name.startsWith("LC_");
    if (isAllowed) env[name] = value;
  }
  if (options.session !== undefined) env[SESSION_MARKER] = options.session;
  return { ...env, ...options.extra };
}

export interface NodeProgram {
  command: string;
  args: string[];
  /** For `extra` of `ownProcessEnv`. */
  extra: Record<string, string>;
}

/** How to run one of our bundled entries with the Node that this process runs on: node itself, or Electron as node. */
export function nodeProgram(entry: string, args: readonly string[] = []): NodeProgram {
  return {
    command: process.execPath,
    args: [entry, ...args],
    extra: process.versions["electron"] === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" },
  };
}
