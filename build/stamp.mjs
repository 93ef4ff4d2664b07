import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TEST_FILE = /\.test\.[a-z]+$/;

/**
 * Hash of the contents of all files under the given paths (test files and dot files left out).
 * @param {string} root
 * @param {string[]} paths files or folders, from root; a missing one counts as empty
 * @returns {string} hex
 */
export function contentHash(root, paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((start) => filesUnder(root, start)).toSorted()) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function filesUnder(root, path) {
  if (!existsSync(join(root, path))) return [];
  /** @type {import("node:fs").Dirent[]} */
  let rows;
  try {
    rows = readdirSync(join(root, path), { withFileTypes: true });
  } catch {
    return [path]; // a file
  }
  return rows
    .filter(({ name }) => !name.startsWith(".") && !TEST_FILE.test(name) && !name.endsWith(".tsbuildinfo"))
    .flatMap((row) => (row.isDirectory() ? filesUnder(root, join(path, row.name)) : [join(path, row.name)]));
}

/**
 * True when the stamp file says `hash` and every output still exists.
 * @param {string} stampFile
 * @param {string} hash
 * @param {string[]} outputs absolute paths
 */
export function isCurrent(stampFile, hash, outputs) {
  return (
    existsSync(stampFile) &&
    readFileSync(stampFile, "utf8") === hash &&
    outputs.every((path) => existsSync(path))
  );
}

/**
 * @param {string} stampFile
 * @param {string} hash
 */
export function writeStamp(stampFile, hash) {
  writeFileSync(stampFile, hash);
}
