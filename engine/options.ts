import { parseArgs } from "node:util";
import * as z from "zod/v4";
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

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .optional();

const Values = z.object({
  port: z
    .string()
    .regex(/^\d{1,5}(,\d{1,5})*$/, "must be a port or a comma-separated list of ports")
    .transform((text) => text.split(",").map(Number))
    .pipe(z.array(z.number().max(65_535)).max(16)),
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
  throw new Error(
    `IRONFLOW_AGENT_TOOLS_MAX_TIMEOUT_MS: must be a whole number from 1 to ${AGENT_TOOL_LIMITS.hardTimeoutMs}`,
  );
}

/** `help` when that is what was asked for. @throws Error with one line that names the option */
export function parseOptions(argv: readonly string[], env: NodeJS.ProcessEnv): ProcessOptions | "help" {
  const { values } = parseArgs({
    args: [...argv],
    options,
  });
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
