import { isAbsolute, resolve } from "node:path";
import * as z from "zod/v4";
import { addressProblem } from "./contract/engines.ts";
import { FlagError, VALUE_FLAGS, readFlagWords, type CommandLineOptions } from "./flag-words.mjs";

/** A remote engine's address. No user or password in it, because arguments are public on a machine. */
const ServerUrl = z.string().superRefine((text, context) => {
  const problem = addressProblem(text);
  if (problem !== undefined)
    context.addIssue(
      problem.includes("password") ? `${problem}; the key goes into IRONFLOW_API_KEY` : problem,
    );
});

const A_PORT = "must be a port, a number from 0 to 65535 (0: the system chooses one)";
const Port = z
  .string()
  .regex(/^\d{1,5}$/, A_PORT)
  .transform(Number)
  .refine((port) => port <= 65_535, A_PORT);

const Flags = z.object({
  /** Isolates an instance: settings, engine data, tokens, connection file. */
  userDataDir: z.string().min(1, "must name a folder").optional(),
  /** Opens on this engine instead of the embedded one. */
  serverUrl: ServerUrl.optional(),
  /** 0 = the system chooses, and the choice is not kept. */
  mcpPort: Port.optional(),
  demo: z.boolean(),
  allowWrites: z.boolean(),
  terminals: z.boolean(),
});
export type Flags = z.infer<typeof Flags>;

/**
 * The flags of the command line with their values.
 * @param argv without the executable
 * @throws FlagError that names the flag
 */
export function parseFlags(argv: readonly string[], options: CommandLineOptions): Flags {
  const given = readFlagWords(argv, options);
  const parsed = Flags.safeParse(given);
  if (!parsed.success) throw new FlagError(parsed.error.issues.map(explain).join("; "));
  if (parsed.data.demo && parsed.data.serverUrl !== undefined)
    throw new FlagError("--demo: the demo works on the embedded engine, so it does not go with --server-url");
  const folder = parsed.data.userDataDir;
  if (folder === undefined || isAbsolute(folder)) return parsed.data;
  return { ...parsed.data, userDataDir: resolve(options.cwd, folder) };
}

function explain(issue: z.core.$ZodIssue): string {
  const key = String(issue.path[0]);
  const flag = Object.entries(VALUE_FLAGS).find(([, name]) => name === key)?.[0] ?? key;
  return `--${flag}: ${issue.message}`;
}
