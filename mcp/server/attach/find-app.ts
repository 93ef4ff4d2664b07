import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/v4";

/** Of connection.json only what leads to the agents' endpoint. */
const Found = z.object({
  version: z.literal(1),
  pid: z.number().int().positive(),
  mcp: z.object({
    // An address, and ours: the token goes there.
    url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}\/mcp$/, "is not an endpoint on loopback"),
  }),
});

export interface RunningApp {
  readonly url: string;
  readonly pid: number;
}

/** No running app can be found. The message is one sentence that says what to do. */
export class NoApp extends Error {
  override readonly name = "NoApp";
}

/**
 * The app that a connection file speaks of.
 * @throws NoApp when there is none, its process is gone, or the file cannot be trusted
 */
export async function findApp(connectionFile: string): Promise<RunningApp> {
  const text = await readOwn(connectionFile);
  const parsed = Found.safeParse(parse(text));
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join(".") ?? "";
    throw new NoApp(
      `${connectionFile} cannot be used (${field === "" ? "it is no JSON object" : `its field ${field} is wrong`}); start Ironbridge again, or name another file with --connection-file=FILE.`,
    );
  }
  const { pid, mcp } = parsed.data;
  if (!isAlive(pid))
    throw new NoApp(`Ironbridge is not running: its process ${pid} is gone; start the app and try again.`);
  return { url: mcp.url, pid };
}

/** Where the app keeps its profile when no flag says otherwise. */
export function defaultConnectionFile(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const home = homedir();
  const folder = () => {
    if (platform === "darwin") return join(home, "Library", "Application Support");
    if (platform === "win32") return env["APPDATA"] ?? join(home, "AppData", "Roaming");
    return env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  };
  return join(folder(), "Ironbridge", "connection.json");
}

async function readOwn(path: string): Promise<string> {
  try {
    const { uid, mode } = await stat(path);
    // Whoever can write this file gets the token.
    const foreign = process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0);
    if (foreign)
      throw new NoApp(
        `${path} is not used: it must belong to you, and nobody else may be able to write to it.`,
      );
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof NoApp) throw cause;
    throw new NoApp(
      `Ironbridge is not running: there is no ${path}; start the app, or name its file with --connection-file=FILE.`,
      { cause },
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
