import { join } from "node:path";
import { makeFolder } from "../loopback/make-folder.mjs";
import { Problem } from "./console.mjs";
import { cacheFolder } from "./paths.mjs";

/**
 * Makes the cache folder, and a folder below it.
 * @param {string[]} below
 * @throws {Problem}
 */
export function makeCacheFolder(...below) {
  const folder = join(cacheFolder(), ...below);
  try {
    makeFolder(folder);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Problem(
      `The cache folder ${folder} cannot be made (${why}); name another one in the variable IRONBRIDGE_CACHE.`,
    );
  }
}
