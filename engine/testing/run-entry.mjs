// Makes a TypeScript entry of this folder runnable by the oldest Node we support, and runs it with this command's arguments.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const CACHE = fileURLToPath(new URL("../../.cache/engine/", import.meta.url));
const ENGINE = new URL("../main.ts", import.meta.url);
const ENGINE_SQL = new URL("../sql/main.ts", import.meta.url);

/**
 * Bundles the entry and the engine beside it, runs the entry with `--engine=FILE` and this command's own arguments, and
 * takes over its exit code. Signals reach it, so that it can end what it started.
 * @param {URL} entry
 */
export async function runEntry(entry) {
  mkdirSync(CACHE, { recursive: true });
  // A folder for each run: a soak starts its engine again and again, and must not get what another run has built meanwhile.
  const folder = mkdtempSync(join(CACHE, "run-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [engine, file] = await Promise.all([
    bundle(ENGINE, folder, "engine"),
    bundle(entry, folder, nameOf(entry)),
    bundle(ENGINE_SQL, folder, "engine-sql"),
  ]);
  const child = spawn(process.execPath, [file, `--engine=${engine}`, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"]))
    process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((done) => child.once("exit", (code) => done(code ?? 1)));
}

/** @param {URL} entry `engine/soak/main.ts` becomes `soak-main` */
function nameOf(entry) {
  const parts = entry.pathname.split("/");
  return `${parts.at(-2) ?? ""}-${basename(entry.pathname, ".ts")}`;
}

/**
 * @param {URL} entry
 * @param {string} folder inside the project, so that the bundle finds the native packages
 * @param {string} name
 * @returns {Promise<string>} the bundle's path
 */
async function bundle(entry, folder, name) {
  const file = join(folder, `${name}.cjs`);
  const build = await rolldown({
    input: fileURLToPath(entry),
    platform: "node",
    external: ["@photostructure/sqlite", "rolldown"],
    transform: { target: "node20.18" },
  });
  await build.write({ file, format: "cjs", sourcemap: true, codeSplitting: false });
  await build.close();
  return file;
}
