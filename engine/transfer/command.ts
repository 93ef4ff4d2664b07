import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, rmSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { parseArgs } from "node:util";
import * as z from "zod/v4";
import { commandLineProblem } from "../../loopback/command-line-problem.ts";
import { systemReason } from "../../loopback/system-reason.ts";
import { systemClock } from "../clock.ts";
import { DataDirHeld, holdsEngine, openDataDir, type DataDir } from "../data-dir.ts";
import { createEngine } from "../engine.ts";
import { secretsKeysOf, toSecretsKey } from "../secrets/keys.ts";
import { openDatabase } from "../store/database.ts";
import { exportEnvironment } from "./export.ts";
import { importEnvironment } from "./import.ts";
import { linesOf } from "./lines.ts";

export const TRANSFER_COMMANDS = ["export", "import"] as const;

/** An option that is unknown, missing or empty, in one line. */
export class BadTransferOption extends Error {}

const Values = z.object({
  "data-dir": z.string({ error: "is required" }).min(1, "is required"),
  env: z.string().min(1, "must not be empty"),
  file: z.string({ error: "is required" }).min(1, "is required"),
  "keep-running": z.boolean(),
});

const OPTIONS = {
  "data-dir": { type: "string" },
  env: { type: "string", default: "default" },
  file: { type: "string" },
  "keep-running": { type: "boolean", default: false },
} as const;

/**
 * `export --data-dir=DIR --env=NAME --file=FILE` and `import --data-dir=DIR --file=FILE [--keep-running]`. No engine may
 * run in the folder. What was done is told on stdout as one JSON line; what failed leaves nothing that was not there before.
 * @throws BadTransferOption before anything is touched, and Error with one line
 */
export async function runTransfer(
  command: (typeof TRANSFER_COMMANDS)[number],
  argv: readonly string[],
): Promise<void> {
  const values = readOptions(argv);
  const done = command === "export" ? await runExport(values) : await runImport(values);
  process.stdout.write(`${JSON.stringify(done)}\n`);
}

async function runExport({ "data-dir": folder, env, file }: z.infer<typeof Values>): Promise<unknown> {
  if (!holdsEngine(folder))
    throw new Error(`there is no engine in ${folder}; name its folder with --data-dir=DIR`);
  const dataDir = openStoppedDir(folder);
  try {
    return await exportTo(dataDir.database, env, file);
  } finally {
    dataDir.undo(); // an export only reads
  }
}

async function runImport(values: z.infer<typeof Values>): Promise<unknown> {
  const { "data-dir": folder, file } = values;
  const input = await open(file).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  try {
    const dataDir = openStoppedDir(folder);
    try {
      const done = await importFrom(dataDir.database, input, values["keep-running"]);
      dataDir.release();
      return done;
    } catch (cause) {
      dataDir.undo();
      throw isOfSystem(cause) ? unreadable(file, cause) : cause;
    }
  } finally {
    await input.close();
  }
}

/** @throws Error when an engine runs there: these commands are none themselves */
function openStoppedDir(folder: string): DataDir {
  try {
    return openDataDir(folder);
  } catch (cause) {
    if (!(cause instanceof DataDirHeld)) throw cause;
    throw new Error(`an engine is running in ${folder}; stop it first`, { cause });
  }
}

/** Of a file or folder, not of what is in it. */
const isOfSystem = (cause: unknown): boolean => cause instanceof Error && "syscall" in cause;

const unreadable = (file: string, cause: unknown): Error =>
  new Error(`${file} cannot be read (${systemReason(cause)}); name an export with --file=FILE`, { cause });

function unwritable(file: string, cause: unknown): Error {
  const what =
    cause instanceof Error && "code" in cause && cause.code === "EEXIST"
      ? "is there already"
      : `cannot be written (${systemReason(cause)})`;
  return new Error(`${file} ${what}; name another file with --file=FILE`, { cause });
}

/** @throws BadTransferOption */
function readOptions(argv: readonly string[]): z.infer<typeof Values> {
  let given: unknown;
  try {
    given = parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (cause) {
    throw new BadTransferOption(commandLineProblem(cause, argv, OPTIONS), { cause });
  }
  const parsed = Values.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BadTransferOption(`--${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

/** Writes the file anew; half of one is removed. @throws Error when it is there already */
async function exportTo(database: string, environment: string, file: string): Promise<unknown> {
  const db = openDatabase(database);
  try {
    const output = createWriteStream(file, { flags: "wx", mode: 0o600 });
    await once(output, "open").catch((cause: unknown) => {
      throw unwritable(file, cause);
    });
    try {
      const failed = once(output, "error").then(([error]) => {
        throw error;
      });
      failed.catch(() => {
        // Told by the race below; nobody may be in it.
      });
      const done = await exportEnvironment(db, environment, systemClock.nowMs(), async (line) => {
        if (!output.write(line)) await Promise.race([once(output, "drain"), failed]);
      });
      output.end();
      await Promise.race([once(output, "finish"), failed]);
      return done;
    } catch (error) {
      output.destroy();
      rmSync(file, { force: true });
      throw isOfSystem(error) ? unwritable(file, error) : error;
    }
  } finally {
    db.close();
  }
}

async function importFrom(database: string, input: FileHandle, keepRunning: boolean): Promise<unknown> {
  const silent = () => {};
  const engine = createEngine({
    file: database,
    // No secret is read or written, so no key of this folder is needed.
    secretsKeys: secretsKeysOf(toSecretsKey(randomBytes(32))),
    log: { info: silent, warn: silent, error: silent },
  });
  try {
    return await importEnvironment(engine.core, linesOf(input.createReadStream({ autoClose: false })), {
      keepRunning,
    });
  } finally {
    await engine.stop(0);
  }
}
