import { isAbsolute, resolve } from "node:path";
import * as z from "zod/v4";

/** A remote engine's address: plain http(s), and no user or password in it, because arguments are public on a machine. */
const ServerUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .refine((text) => new URL(text).username === "" && new URL(text).password === "", {
    error: "must not hold a user or a password; the key goes into IRONFLOW_API_KEY",
  });

const Flags = z.object({
  /** Isolates an instance: settings, engine data, tokens, connection file. */
  userDataDir: z.string().min(1, "must name a folder").optional(),
  /** Opens on this engine instead of the embedded one. */
  serverUrl: ServerUrl.optional(),
  /** 0 = the system chooses, and the choice is not kept. */
  mcpPort: z.coerce.number<string>("must be a port").int("must be a port").min(0).max(65_535).optional(),
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

/** Opens main, or a page, to anybody on the machine. Only a build from source may be debugged. */
const DEBUGGER = /^--(inspect|remote-debugging|js-flags|remote-allow-origins)/;

/** What is wrong with the command line, in sentences for the person who typed it. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/**
 * Reads our flags out of the command line. Flags that we do not know are Chromium's and are left alone.
 * @param argv without the executable
 * @param options `packaged`: refuse what opens a debugger; `cwd`: what a relative folder is relative to
 * @throws FlagError that names the flag
 */
export function parseFlags(argv: readonly string[], options: { packaged: boolean; cwd: string }): Flags {
  const given: Record<string, unknown> = { demo: false, allowWrites: false, terminals: false };
  for (const argument of argv) {
    if (options.packaged && DEBUGGER.test(argument)) {
      throw new FlagError(`${argument.split("=", 1)[0]}: this build cannot be debugged`);
    }
    if (!argument.startsWith("--")) continue;
    const [name = "", ...rest] = argument.slice(2).split("=");
    const value = rest.length > 0 ? rest.join("=") : undefined;
    if (name in VALUE_FLAGS) {
      if (value === undefined) throw new FlagError(`--${name}: write --${name}=VALUE, with "="`);
      given[VALUE_FLAGS[name as keyof typeof VALUE_FLAGS]] = value;
    } else if (name in SWITCHES) {
      if (value !== undefined) throw new FlagError(`--${name}: takes no value`);
      given[SWITCHES[name as keyof typeof SWITCHES]] = true;
    }
  }
  const parsed = Flags.safeParse(given);
  if (!parsed.success) throw new FlagError(parsed.error.issues.map(explain).join("; "));
  const folder = parsed.data.userDataDir;
  if (folder === undefined || isAbsolute(folder)) return parsed.data;
  return { ...parsed.data, userDataDir: resolve(options.cwd, folder) };
}

function explain(issue: z.core.$ZodIssue): string {
  const key = String(issue.path[0]);
  const flag = Object.entries(VALUE_FLAGS).find(([, name]) => name === key)?.[0] ?? key;
  return `--${flag}: ${issue.message}`;
}
