import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { _electron, expect, test, type ElectronApplication, type Page } from "@playwright/test";
import { electronCommand } from "../build/app.mjs";
import { ConnectionFile } from "../electron/contract/discovery.ts";

/** One running app of a test: its own profile, its page, and what it says about itself. */
export type RunningApp = {
  electron: ElectronApplication;
  page: Page;
  /** Parsed `connection.json`. */
  connection: ConnectionFile;
  userDataDir: string;
  /** The token named `local` of this launch. */
  token: string;
  /** Everything main wrote so far. */
  output(): string;
  /** Closes the app in order and removes its profile. Fails when a page threw an error meanwhile. */
  close(): Promise<void>;
};

const SAID_LAST_CHARS = 4_000;
const READY_WITHIN_MS = 120_000;
const repository = resolve(import.meta.dirname, "..");

/** A `userDataDir` that the caller made is kept: a test that starts the app twice needs it. */
export type LaunchOptions = {
  flags?: string[];
  env?: Record<string, string>;
  userDataDir?: string;
  /** Written as the profile's settings before the start, beside the defaults. */
  settings?: Record<string, unknown>;
};

/** Starts the built app as `npm run app` does and waits until it says that it is ready. */
export async function launchApp(options: LaunchOptions = {}): Promise<RunningApp> {
  const userDataDir = options.userDataDir ?? (await mkdtemp(join(tmpdir(), "ironbridge-e2e-")));
  if (options.settings !== undefined) {
    const settings = { version: 1, theme: "system", time_zone: "local", ...options.settings };
    await writeFile(join(userDataDir, "settings.json"), JSON.stringify(settings), { mode: 0o600 });
  }
  const command = electronCommand([`--user-data-dir=${userDataDir}`, ...(options.flags ?? [])]);
  const electron = await _electron.launch({
    executablePath: command.command,
    args: command.args,
    cwd: repository,
    env: { ...inheritedEnv(), ...options.env },
    timeout: READY_WITHIN_MS,
  });
  let output = "";
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-1_000_000);
  };
  electron.process().stdout?.on("data", collect);
  electron.process().stderr?.on("data", collect);
  const connectionPath = await readyPath(userDataDir, () => output, electron);
  const connection = ConnectionFile.parse(JSON.parse(await readFile(connectionPath, "utf8")));
  const page = await electron.firstWindow();
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(String(error.stack ?? error)));
  const token = (await readFile(connection.mcp.token_file, "utf8")).trim();
  return {
    electron,
    page,
    connection,
    userDataDir,
    token,
    output: () => output,
    close: async () => {
      await electron.close();
      // Kept with the failure: what the app said in its last moments often tells why.
      if (test.info().errors.length > 0)
        process.stdout.write(`the app said last:\n${output.slice(-SAID_LAST_CHARS)}\n`);
      if (options.userDataDir === undefined)
        await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
      expect(pageErrors, "errors thrown in the page").toEqual([]);
    },
  };
}

/**
 * Waits for the connection file, which the app writes as its last step before it prints `ready`. The line itself may be
 * printed before a listener is attached to the process, so the file is what counts.
 */
async function readyPath(
  userDataDir: string,
  output: () => string,
  electron: ElectronApplication,
): Promise<string> {
  const path = join(userDataDir, "connection.json");
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    try {
      const seen = ConnectionFile.parse(JSON.parse(await readFile(path, "utf8")));
      if (seen.pid === electron.process().pid) return path;
    } catch {
      // Not written yet, or still the file of an earlier life: look again until the deadline.
    }
    if (electron.process().exitCode !== null) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the app did not become ready within ${READY_WITHIN_MS} ms; it said:\n${output()}`);
}

function inheritedEnv(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  return env;
}
