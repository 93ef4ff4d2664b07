// Makes a TypeScript entry of this folder runnable by the oldest Node we support, and runs it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const CACHE = fileURLToPath(new URL("../../.cache/engine/", import.meta.url));
const ENGINE = new URL("../main.ts", import.meta.url);
const ENGINE_SQL = new URL("../sql/main.ts", import.meta.url);

/**
 * Bundles the entry and the engine beside it, and runs the entry. Signals reach it, so that it can end what it started.
 * @param {URL} entry
 * @param {object} order what the entry is to do, its one argument as JSON; `engine`, the engine's file, is added here
 * @returns {Promise<number>} its exit code
 */
export async function runEntry(entry, order) {
  mkdirSync(CACHE, { recursive: true });
  // A folder for each run: a soak starts its engine again and again, and must not get what another run has built meanwhile.
  const folder = mkdtempSync(join(CACHE, "run-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [engine, file] = await Promise.all([
    bundle(ENGINE, folder, "engine"),
    bundle(entry, folder, nameOf(entry)),
    bundle(ENGINE_SQL, folder, "engine-sql"),
  ]);
  const child = spawn(process.execPath, [file, JSON.stringify({ ...order, engine })], { stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"]))
    process.on(signal, () => child.kill(signal));
  return new Promise((done) => child.once("exit", (code) => done(code ?? 1)));
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
