import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The repository's folder, absolute. */
export const ROOT = resolve(import.meta.dirname, "..");

/** Output of the bundler, ignored by git. */
export const DIST = join(ROOT, "dist");

/**
 * What every clone on this machine shares (the fallback runtime): `IRONBRIDGE_CACHE`, else the user's cache folder.
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheFolder(env = process.env) {
  if (env["IRONBRIDGE_CACHE"]) return resolve(env["IRONBRIDGE_CACHE"]);
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "ironbridge");
}

/**
 * True when the module is the script that node was started with, not an import.
 * @param {string} moduleUrl `import.meta.url` of the caller
 */
export function isScript(moduleUrl) {
  return process.argv[1] !== undefined && pathToFileURL(resolve(process.argv[1])).href === moduleUrl;
}

/**
 * How much a growing folder holds, for progress only: what vanishes while it is counted is left out.
 * @param {string} folder
 */
export function bytesUnder(folder) {
  let bytes = 0;
  for (const row of entriesOf(folder, true)) {
    if (row.isFile()) bytes += statSync(join(row.parentPath, row.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/**
 * What a folder holds, for progress only: nothing while it is missing or being replaced.
 * @param {string} folder
 * @param {boolean} recursive
 */
export function entriesOf(folder, recursive) {
  try {
    return readdirSync(folder, { recursive, withFileTypes: true });
  } catch {
    return [];
  }
}
