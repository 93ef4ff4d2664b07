import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import * as z from "zod/v4";
import { systemClock } from "../clock.ts";
import { openDataDir } from "../data-dir.ts";
import { createEngine } from "../engine.ts";
import { secretsKeysOf, toSecretsKey } from "../secrets/keys.ts";
import { openDatabase } from "../store/database.ts";
import { exportEnvironment } from "./export.ts";
import { importEnvironment } from "./import.ts";
import { linesOf } from "./lines.ts";

export const TRANSFER_COMMANDS = ["export", "import"] as const;

const Values = z.object({
  "data-dir": z.string({ error: "is required" }).min(1, "is required"),
  env: z.string().min(1),
  file: z.string({ error: "is required" }).min(1, "is required"),
  "keep-running": z.boolean(),
});

/**
 * `export --data-dir=DIR --env=NAME --file=FILE` and `import --data-dir=DIR --file=FILE [--keep-running]`. No engine may
 * run in the folder. What was done is told on stdout as one JSON line.
 * @throws Error with one line
 */
export async function runTransfer(
  command: (typeof TRANSFER_COMMANDS)[number],
  argv: readonly string[],
): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      "data-dir": { type: "string" },
      env: { type: "string", default: "default" },
      file: { type: "string" },
      "keep-running": { type: "boolean", default: false },
    },
  });
  const parsed = Values.safeParse(values);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`--${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  }
  const dataDir = openDataDir(parsed.data["data-dir"]);
  try {
    const { env, file } = parsed.data;
    const done =
      command === "export"
        ? await exportTo(dataDir.database, env, file)
        : await importFrom(dataDir.database, file, parsed.data["keep-running"]);
    process.stdout.write(`${JSON.stringify(done)}\n`);
  } finally {
    dataDir.release();
  }
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
