import { parseArgs } from "node:util";
import * as z from "zod/v4";
import { commandLineProblem } from "../loopback/command-line-problem.ts";
import { AGENT_TOOL_LIMITS } from "./contract/agent-tools.ts";

/** How the engine was started. */
export interface ProcessOptions {
  /** Ports in order of preference; 0 lets the system choose. */
  ports: number[];
  dataDir: string;
  /** No key needed. */
  dev: boolean;
  /** Name of the environment that is served. */
  environment: string;
  /** Stop when stdin ends: whoever started the engine is gone. */
  exitWithStdin: boolean;
  signingKey: string | undefined;
  /** Hosts in private networks that tools of applications may be called at. */
  callbackHosts: ReadonlySet<string>;
  /** The longest that such a tool may take, ms. */
  toolTimeoutMs: number;
  /** 32 bytes that secrets are stored under, as text. */
  secretsKey: string | undefined;
  /** The one of before, which older ones are under. */
  previousSecretsKey: string | undefined;
  /** A file that holds such a key instead. */
  secretsKeyFile: string | undefined;
  /** How long a pull worker may be silent about a job, ms. */
  leaseMs: number | undefined;
  /** The longest that a call of a push function may take, ms. */
  pushTimeoutMs: number | undefined;
  retention: { days: number | undefined; count: number | undefined };
}

function wholeNumber(min: number, max: number) {
  const problem = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,12}$/, problem)
    .transform(Number)
    .refine((value) => value >= min && value <= max, problem)
    .optional();
}

const MAX_PORTS = 16;
const PORTS = `must be a port from 0 to 65535, or up to ${MAX_PORTS} of them with commas between`;

const Values = z.object({
  port: z
    .string()
    .regex(/^\d{1,5}(,\d{1,5})*$/, PORTS)
    .transform((text) => text.split(",").map(Number))
    .refine((ports) => ports.length <= MAX_PORTS && ports.every((port) => port <= 65_535), PORTS),
  "data-dir": z.string({ error: "is required" }).min(1, "is required"),
  dev: z.boolean(),
  env: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must be lower-case letters, digits, - and _"),
  "exit-with-stdin": z.boolean(),
  "lease-ms": wholeNumber(100, 3_600_000),
  "secrets-key-file": z.string().min(1, "must not be empty").optional(),
  "push-timeout-ms": wholeNumber(100, 3_600_000),
  "retention-days": wholeNumber(1, 36_500),
  "retention-count": wholeNumber(1, 1_000_000_000),
});

const options = {
  port: { type: "string", default: "9123,0" },
  "data-dir": { type: "string" },
  dev: { type: "boolean", default: false },
  env: { type: "string", default: "default" },
  "exit-with-stdin": { type: "boolean", default: false },
  "lease-ms": { type: "string" },
  "secrets-key-file": { type: "string" },
  "push-timeout-ms": { type: "string" },
  "retention-days": { type: "string" },
  "retention-count": { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

export const OPTION_NAMES: readonly string[] = Object.keys(options);

/** @throws Error with one line that names the variable */
function toolTimeout(text: string | undefined): number {
  if (text === undefined || text === "") return AGENT_TOOL_LIMITS.maxTimeoutMs;
  const parsed = wholeNumber(1, AGENT_TOOL_LIMITS.hardTimeoutMs).safeParse(text);
  if (parsed.success && parsed.data !== undefined) return parsed.data;
  throw new Error(`IRONFLOW_AGENT_TOOLS_MAX_TIMEOUT_MS: ${parsed.error?.issues[0]?.message ?? "invalid"}`);
}

function readValues(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (cause) {
    throw new Error(commandLineProblem(cause, argv, options), { cause });
  }
}

/** `help` when that is what was asked for. @throws Error with one line that names the option */
export function parseOptions(argv: readonly string[], env: NodeJS.ProcessEnv): ProcessOptions | "help" {
  const values = readValues(argv);
  if (values.help) return "help";
  const parsed = Values.safeParse(values);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`--${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  }
  return {
    ports: parsed.data.port,
    dataDir: parsed.data["data-dir"],
    dev: parsed.data.dev,
    environment: parsed.data.env,
    exitWithStdin: parsed.data["exit-with-stdin"],
    leaseMs: parsed.data["lease-ms"],
    pushTimeoutMs: parsed.data["push-timeout-ms"],
    retention: { days: parsed.data["retention-days"], count: parsed.data["retention-count"] },
    signingKey: env["IRONFLOW_SIGNING_KEY"] || undefined,
    secretsKey: env["IRONFLOW_MASTER_KEY"] || undefined,
    previousSecretsKey: env["IRONFLOW_MASTER_KEY_PREVIOUS"] || undefined,
    callbackHosts: new Set(
      (env["IRONFLOW_AGENT_TOOLS_URL_ALLOWLIST"] ?? "")
        .split(",")
        .map((host) => host.trim())
        .filter((host) => host !== ""),
    ),
    toolTimeoutMs: toolTimeout(env["IRONFLOW_AGENT_TOOLS_MAX_TIMEOUT_MS"]),
    secretsKeyFile: parsed.data["secrets-key-file"],
  };
}
