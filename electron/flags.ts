import { isAbsolute, resolve } from "node:path";
import * as z from "zod/v4";
import { addressProblem } from "./contract/engines.ts";
import { passesToChromium } from "./chromium-switches.ts";
import { nearestName } from "./nearest-name.ts";

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

const VALUE_FLAGS = {
  "user-data-dir": "userDataDir",
  "server-url": "serverUrl",
  "mcp-port": "mcpPort",
} as const;
const SWITCHES = { demo: "demo", "allow-writes": "allowWrites", terminals: "terminals" } as const;
const INFORMING = ["help", "version"] as const;

/** Every flag of the app, without its dashes. */
export const FLAG_NAMES: readonly string[] = [
  ...Object.keys(VALUE_FLAGS),
  ...Object.keys(SWITCHES),
  ...INFORMING,
];

/** What is wrong with the command line, in sentences for the person who typed it. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** What somebody wants to read instead of starting the app. */
export function askedToInform(argv: readonly string[]): (typeof INFORMING)[number] | undefined {
  if (argv.includes("-h")) return "help";
  return INFORMING.find((name) => argv.includes(`--${name}`));
}

export interface CommandLineOptions {
  /** Refuse what opens a debugger, and what only a start from source has. */
  readonly packaged: boolean;
  /** What a relative folder is relative to. */
  readonly cwd: string;
  /** Where the app is: from source, Electron itself is told that. */
  readonly appPath: string;
}

/**
 * Reads our flags out of the command line. Chromium's own are left alone; whatever else there is, is refused, because
 * something misspelt would otherwise do nothing and say nothing. A deep link may stand there: it only navigates.
 * @param argv without the executable
 * @throws FlagError that names the flag
 */
export function parseFlags(argv: readonly string[], options: CommandLineOptions): Flags {
  const given: Record<string, unknown> = { demo: false, allowWrites: false, terminals: false };
  for (const [at, argument] of argv.entries()) {
    if (!argument.startsWith("--")) {
      if (!isExpected(argument, argv[at - 1], options)) refuseWord(argument);
      continue;
    }
    const [name = "", ...rest] = argument.slice(2).split("=");
    const value = rest.length > 0 ? rest.join("=") : undefined;
    if (Object.hasOwn(VALUE_FLAGS, name)) {
      if (value === undefined) throw new FlagError(`--${name}: write --${name}=VALUE, with "="`);
      given[VALUE_FLAGS[name as keyof typeof VALUE_FLAGS]] = value;
    } else if (Object.hasOwn(SWITCHES, name)) {
      if (value !== undefined) throw new FlagError(`--${name}: takes no value`);
      given[SWITCHES[name as keyof typeof SWITCHES]] = true;
    } else {
      refuseUnknown(name, options.packaged);
    }
  }
  const parsed = Flags.safeParse(given);
  if (!parsed.success) throw new FlagError(parsed.error.issues.map(explain).join("; "));
  if (parsed.data.demo && parsed.data.serverUrl !== undefined)
    throw new FlagError("--demo: the demo works on the embedded engine, so it does not go with --server-url");
  const folder = parsed.data.userDataDir;
  if (folder === undefined || isAbsolute(folder)) return parsed.data;
  return { ...parsed.data, userDataDir: resolve(options.cwd, folder) };
}

/** What stands on the command line without two dashes and is none of the person's mistakes. */
function isExpected(word: string, before: string | undefined, options: CommandLineOptions): boolean {
  if (word.startsWith("ironbridge://")) return true;
  if (options.packaged) return word.startsWith("-psn_"); // macOS, when a file manager starts it
  // Electron is told where the app is, and a test driver has it load a file of its own first.
  return word === "-r" || before === "-r" || resolve(options.cwd, word) === options.appPath;
}

/** So much of a word that is not understood is said again. */
const WORD_CHARS = 80;

function refuseWord(given: string): never {
  // An address may hold a password, which is not said again.
  const word = given.replace(/\/\/[^/]*@/, "//…@").slice(0, WORD_CHARS);
  const bare = word.replace(/^-/, "").split("=", 1)[0] ?? "";
  const near = nearestName(bare, FLAG_NAMES);
  if (near !== undefined) throw new FlagError(`${word}: did you mean --${near}?`);
  throw new FlagError(
    `${word}: nothing is done with it; flags begin with two dashes, a value follows its flag's "=", and --help lists them`,
  );
}

function refuseUnknown(name: string, packaged: boolean): void {
  const verdict = passesToChromium(name, packaged);
  if (verdict === "yes") return;
  if (verdict === "debugger") throw new FlagError(`--${name}: this build cannot be debugged`);
  const near = nearestName(name, FLAG_NAMES);
  const advice = near === undefined ? "--help lists them" : `did you mean --${near}?`;
  throw new FlagError(`--${name}: there is no such flag; ${advice}`);
}

function explain(issue: z.core.$ZodIssue): string {
  const key = String(issue.path[0]);
  const flag = Object.entries(VALUE_FLAGS).find(([, name]) => name === key)?.[0] ?? key;
  return `--${flag}: ${issue.message}`;
}
