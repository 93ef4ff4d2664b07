import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import * as z from "zod/v4";
import { systemClock } from "../clock.ts";
import { openDataDir } from "../data-dir.ts";
import { createEngine } from "../engine.ts";
import { messageOf } from "../errors.ts";
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
  env: z.string().min(1),
  file: z.string({ error: "is required" }).min(1, "is required"),
  "keep-running": z.boolean(),
});

/**
 * `export --data-dir=DIR --env=NAME --file=FILE` and `import --data-dir=DIR --file=FILE [--keep-running]`. No engine may
 * run in the folder. What was done is told on stdout as one JSON line.
 * @throws BadTransferOption before anything is touched, and Error with one line
 */
export async function runTransfer(
  command: (typeof TRANSFER_COMMANDS)[number],
  argv: readonly string[],
): Promise<void> {
  const values = readOptions(argv);
  const dataDir = openDataDir(values["data-dir"]);
  try {
    const { env, file } = values;
    const done =
      command === "export"
        ? await exportTo(dataDir.database, env, file)
        : await importFrom(dataDir.database, file, values["keep-running"]);
    process.stdout.write(`${JSON.stringify(done)}\n`);
  } finally {
    dataDir.release();
  }
}

/** @throws BadTransferOption */
function readOptions(argv: readonly string[]): z.infer<typeof Values> {
  let given: unknown;
  try {
    given = parseArgs({
      args: [...argv],
      options: {
        "data-dir": { type: "string" },
        env: { type: "string", default: "default" },
        file: { type: "string" },
        "keep-running": { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new BadTransferOption(messageOf(error));
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
    await once(output, "open");
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
      throw error;
    }
  } finally {
    db.close();
  }
}

async function importFrom(database: string, file: string, keepRunning: boolean): Promise<unknown> {
  const silent = () => {};
  const engine = createEngine({
    file: database,
    // No secret is read or written, so no key of this folder is needed.
    secretsKeys: secretsKeysOf(toSecretsKey(randomBytes(32))),
    log: { info: silent, warn: silent, error: silent },
  });
  try {
    return await importEnvironment(engine.core, linesOf(createReadStream(file)), { keepRunning });
  } finally {
    await engine.stop(0);
  }
}
