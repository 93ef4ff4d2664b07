import { parseArgs } from "node:util";
import * as z from "zod/v4";
import { commandLineProblem } from "../../loopback/command-line-problem.ts";
import { LOOPBACK } from "../../loopback/listen.ts";
import { LOOPBACK_HOSTS } from "../../loopback/loopback-hosts.ts";

/** What the tool server was asked to do: flags first, then environment, then defaults. */
export type ServerOptions = {
  readonly serverUrl: string;
  readonly apiKey: string | undefined;
  readonly allowWrites: boolean;
  /** Leave out the tools that applications registered. */
  readonly staticOnly: boolean;
  /** Where the trail of tests is kept for the reload barrier. */
  readonly evidenceFile: string | undefined;
  /** Also serves the rows `for: "app"` and the live resources. */
  readonly app: boolean;
  readonly terminal: { readonly url: string; readonly token: string } | undefined;
  readonly transport: Transport;
};

/** Where clients come in. `http` is loopback only, and behind a token. */
export type Transport =
  | { readonly kind: "stdio" }
  | {
      readonly kind: "http";
      /** 0 is any free one. */
      readonly port: number;
      /** Where the port is written once it is known. */
      readonly portFile: string | undefined;
      readonly token: string;
    };

export type Request =
  | { readonly kind: "serve"; readonly options: ServerOptions }
  /** Serves what the running app serves; `connectionFile` undefined: where the app keeps it by default. */
  | { readonly kind: "attach"; readonly connectionFile: string | undefined; readonly token: string }
  /** Calls one application tool, prints what a client would get, and ends. */
  | {
      readonly kind: "try";
      readonly options: ServerOptions;
      readonly tool: string;
      readonly args: object;
      /** Checks, and calls nothing. */
      readonly dryRun: boolean;
      /** The application's own declaration, in place of an engine; callbacks are signed where there is a secret. */
      readonly declaration: { readonly file: string; readonly secretHex: string | undefined } | undefined;
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" };

/** A flag or variable that cannot be used. The message is for the person at the shell and never repeats a secret. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

const DEFAULT_SERVER_URL = "http://localhost:9123";

const serverUrl = z.string().transform((text, context) => {
  const problem = serverUrlProblem(text);
  if (problem === undefined) return text.replace(/\/+$/, "");
  context.addIssue({ code: "custom", message: problem });
  return z.NEVER;
});

function serverUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an address such as http://localhost:9123";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return "must begin with http:// or https://";
  if (url.username !== "" || url.password !== "")
    return "must not carry a name or password: use IRONFLOW_API_KEY";
  if (url.search !== "" || url.hash !== "") return "must have no query and no fragment";
  return undefined;
}

const bridgeUrl = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url?.protocol === "http:" && LOOPBACK_HOSTS.has(url.hostname) && url.username === "" && url.search === ""
  );
}, "must be a plain http address on loopback, such as http://127.0.0.1:4100");

/** A secret that ends up in a header; the value itself is never part of a message. */
const headerSecret = z
  .string()
  .max(4096, "is longer than 4096 characters")
  .regex(/^[\x21-\x7e]+$/, "has characters that an HTTP header cannot carry");

/** A secret that HTTP clients send as a bearer token. */
const bearerToken = headerSecret
  .max(512, "is longer than 512 characters")
  .regex(/^[A-Za-z0-9\-._~+/]+={0,2}$/, "has characters that a bearer token cannot have");

/** Whoever runs a program on this machine can reach the port, and must not get in by trying words. */
const SERVING_TOKEN_MIN_CHARS = 16;

/** A tool's arguments as JSON. */
const argumentsText = z.string().transform((text, context): object => {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: "custom", message: "must be a JSON object" });
    return z.NEVER;
  }
});

const Flags = z.object({
  "server-url": serverUrl,
  "api-key": headerSecret.optional(),
  "allow-writes": z.boolean().default(false),
  app: z.boolean().default(false),
  "static-only": z.boolean().default(false),
  "evidence-file": z.string().min(1, "must be a path").optional(),
  "terminal-bridge-url": bridgeUrl.optional(),
  "try-tool": z.string().min(1, "must be the name of a tool").max(128, "is too long").optional(),
  arguments: argumentsText.default({}),
  declaration: z.string().min(1, "must be a path").optional(),
  "dry-run": z.boolean().default(false),
  IRONFLOW_AGENT_TOOLS_SECRET: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, "must be 32 bytes as 64 hexadecimal digits")
    .optional(),
  transport: z.enum(["stdio", "streamable-http"], "must be stdio or streamable-http").default("stdio"),
  IRONFLOW_TERMINAL_BRIDGE_TOKEN: headerSecret.optional(),
});

/** What only streamable-http looks at: stdio ignores it, right or wrong (seeds: "Start MCP Server"). */
const Http = z.object({
  host: z
    .enum([LOOPBACK, "localhost"], `must be ${LOOPBACK} or localhost: nobody else may reach this server`)
    .default(LOOPBACK),
  port: z
    .string()
    .regex(/^\d{1,5}$/, "must be a number from 0 to 65535")
    .transform(Number)
    .refine((port) => port <= 65_535, "must be a number from 0 to 65535")
    .default(0),
  "port-file": z.string().min(1, "must be a path").optional(),
  IRONFLOW_MCP_BEARER_TOKEN: bearerToken.min(
    SERVING_TOKEN_MIN_CHARS,
    `is shorter than ${SERVING_TOKEN_MIN_CHARS} characters: take a random one, for example of openssl rand -hex 32`,
  ),
});

const Attach = z.object({
  "connection-file": z.string().min(1, "must be a path").optional(),
  IRONBRIDGE_TOKEN: z
    .string("is needed in the environment: the token that the app made for this agent")
    .pipe(bearerToken),
});

const OPTIONS = {
  "server-url": { type: "string" },
  "api-key": { type: "string" },
  "allow-writes": { type: "boolean" },
  app: { type: "boolean" },
  "static-only": { type: "boolean" },
  "evidence-file": { type: "string" },
  "terminal-bridge-url": { type: "string" },
  transport: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  "port-file": { type: "string" },
  "try-tool": { type: "string" },
  arguments: { type: "string" },
  declaration: { type: "string" },
  "dry-run": { type: "boolean" },
  attach: { type: "boolean" },
  "connection-file": { type: "string" },
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * @param args the command line after the program's name
 * @throws FlagError
 */
export function parseFlags(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Request {
  const given = commandLine(args);
  if (given.help === true) return { kind: "help" };
  if (given.version === true) return { kind: "version" };
  if (given.attach === true) return attachRequest(given, env);
  if (given["connection-file"] !== undefined) throw new FlagError("--connection-file needs --attach");
  const parsed = Flags.safeParse({
    ...given,
    "server-url": given["server-url"] ?? fromEnv(env, "IRONFLOW_SERVER_URL") ?? DEFAULT_SERVER_URL,
    "api-key": given["api-key"] ?? fromEnv(env, "IRONFLOW_API_KEY"),
    IRONFLOW_TERMINAL_BRIDGE_TOKEN: fromEnv(env, "IRONFLOW_TERMINAL_BRIDGE_TOKEN"),
    IRONFLOW_AGENT_TOOLS_SECRET:
      given.declaration === undefined ? undefined : fromEnv(env, "IRONFLOW_AGENT_TOOLS_SECRET"),
  });
  if (!parsed.success) throw firstProblem(parsed.error, given);
  const options = toOptions(parsed.data, toTransport(parsed.data, given, env));
  if (parsed.data["try-tool"] !== undefined) return tryRequest(parsed.data["try-tool"], options, parsed.data);
  for (const name of ["arguments", "declaration", "dry-run"] as const)
    if (given[name] !== undefined) throw new FlagError(`--${name} needs --try-tool`);
  return { kind: "serve", options };
}

function tryRequest(tool: string, options: ServerOptions, flags: z.output<typeof Flags>): Request {
  const { declaration: file, IRONFLOW_AGENT_TOOLS_SECRET: secretHex } = flags;
  return {
    kind: "try",
    options,
    tool,
    args: flags.arguments,
    dryRun: flags["dry-run"],
    declaration: file === undefined ? undefined : { file, secretHex },
  };
}

/** The app decides what an agent may do, so no other flag makes sense beside `--attach`. */
function attachRequest(
  given: ReturnType<typeof commandLine>,
  env: Readonly<Record<string, string | undefined>>,
): Request {
  const { attach: _, "connection-file": file, ...others } = given;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new FlagError(`--${other} means nothing beside --attach`);
  const parsed = Attach.safeParse({
    "connection-file": file ?? fromEnv(env, "IRONBRIDGE_CONNECTION_FILE"),
    IRONBRIDGE_TOKEN: fromEnv(env, "IRONBRIDGE_TOKEN"),
  });
  if (!parsed.success) throw firstProblem(parsed.error, given);
  const { "connection-file": connectionFile, IRONBRIDGE_TOKEN: token } = parsed.data;
  return { kind: "attach", connectionFile, token };
}

function firstProblem(error: z.ZodError, given: Record<string, unknown>): FlagError {
  const [issue] = error.issues;
  const name = String(issue?.path[0] ?? "");
  return new FlagError(`${sourceOf(name, given)} ${issue?.message ?? "cannot be used"}`);
}

function commandLine(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    throw new FlagError(`${commandLineProblem(cause, args, OPTIONS)}; --help lists them`, { cause });
  }
}

function toOptions(flags: z.output<typeof Flags>, transport: Transport): ServerOptions {
  const url = flags["terminal-bridge-url"];
  const token = flags.IRONFLOW_TERMINAL_BRIDGE_TOKEN;
  for (const name of ["evidence-file", "terminal-bridge-url"] as const)
    if (flags[name] !== undefined && !flags["allow-writes"])
      throw new FlagError(`--${name} needs --allow-writes`);
  if (url !== undefined && token === undefined)
    throw new FlagError("--terminal-bridge-url needs IRONFLOW_TERMINAL_BRIDGE_TOKEN in the environment");
  return {
    serverUrl: flags["server-url"],
    apiKey: flags["api-key"],
    allowWrites: flags["allow-writes"],
    staticOnly: flags["static-only"],
    evidenceFile: flags["evidence-file"],
    app: flags.app,
    terminal: url === undefined || token === undefined ? undefined : { url: url.replace(/\/+$/, ""), token },
    transport,
  };
}

function toTransport(
  flags: z.output<typeof Flags>,
  given: ReturnType<typeof commandLine>,
  env: Readonly<Record<string, string | undefined>>,
): Transport {
  if (flags.transport === "stdio") return { kind: "stdio" };
  if (flags.app) throw new FlagError("--app needs --transport stdio: it serves the app that starts it");
  const token = fromEnv(env, "IRONFLOW_MCP_BEARER_TOKEN");
  if (token === undefined)
    throw new FlagError("--transport streamable-http needs IRONFLOW_MCP_BEARER_TOKEN in the environment");
  const parsed = Http.safeParse({ ...given, IRONFLOW_MCP_BEARER_TOKEN: token });
  if (!parsed.success) throw firstProblem(parsed.error, given);
  const { port, "port-file": portFile } = parsed.data;
  return { kind: "http", port, portFile, token };
}

const ENV_OF: Record<string, string> = {
  "server-url": "IRONFLOW_SERVER_URL",
  "api-key": "IRONFLOW_API_KEY",
  "connection-file": "IRONBRIDGE_CONNECTION_FILE",
};

/** The name under which the person gave the value: a variable is only to blame when there is no flag. */
function sourceOf(name: string, given: Record<string, unknown>): string {
  if (name.startsWith("IRONFLOW_") || name.startsWith("IRONBRIDGE_")) return name;
  const variable = ENV_OF[name];
  return given[name] === undefined && variable !== undefined ? variable : `--${name}`;
}

/** An empty variable is one that is not set. */
function fromEnv(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = env[name];
  return value === "" ? undefined : value;
}

export const HELP = `ironbridge-mcp: MCP tools for a running workflow engine, over stdin and stdout.

  --allow-writes             also serve the tools that change something (default: read only)
  --evidence-file FILE       also serve ironflow_await_reload; the trail of tests is kept in this file;
                             needs --allow-writes
  --static-only              leave out the tools that applications registered with the engine
  --server-url URL           the engine; else IRONFLOW_SERVER_URL, else ${DEFAULT_SERVER_URL}
  --api-key KEY              better: IRONFLOW_API_KEY, because a flag shows in the process list
  --terminal-bridge-url URL  also serve the terminal tools; needs --allow-writes and the variable
                             IRONFLOW_TERMINAL_BRIDGE_TOKEN; loopback only
  --app                      also serve what the desktop app's own screens need
  --transport TRANSPORT      stdio (the default), or streamable-http: http://127.0.0.1:PORT/mcp behind
                             the bearer token in IRONFLOW_MCP_BEARER_TOKEN, ${SERVING_TOKEN_MIN_CHARS} characters or more
  --host 127.0.0.1           where streamable-http listens: loopback only. stdio ignores these three
  --port PORT                its port; 0, the default, is any free one
  --port-file FILE           where the port is written, so that clients find it
  --try-tool NAME            call one tool that an application registered with the engine, print what a
                             client would get, and end: no MCP client is needed
  --arguments JSON           its arguments; {} when left out
  --declaration FILE         with --try-tool and no engine: FILE is what the application sends to
                             RegisterTool, as JSON. Its callbackUrl is called the way the engine calls
                             it, signed where IRONFLOW_AGENT_TOOLS_SECRET is set
  --dry-run                  with --try-tool: check declaration and arguments, call nothing
  --version, --help

ironbridge-mcp --attach: the tools of the running Ironbridge app, for agents that speak stdio only. It takes
its agent's token from IRONBRIDGE_TOKEN, and no other flag than:

  --connection-file FILE     the app's connection.json; else IRONBRIDGE_CONNECTION_FILE, else the one in
                             the app's default profile

Exit codes: 0 ended in order, 1 broke, 4 a flag, variable or argument cannot be used. With --attach and --try-tool
also 3 nobody answers, or it may work later; 5 the token or key was refused. With --try-tool also 6 there is no such
thing, 7 the engine's state does not allow it.
`;
