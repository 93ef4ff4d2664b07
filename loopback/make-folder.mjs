// JavaScript, because the set-up makes folders too, and runs before there is a package that could read TypeScript.
import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and what leads to it, one level at a time: Node's own `recursive` never returns below a folder that takes
 * no new ones (/proc). What it made is taken away again when the rest cannot be made.
 * @param {string} folder
 * @param {number} [mode]
 * @returns {string[]} what was not there before, outermost first
 * @throws the system's error
 */
export function makeFolder(folder, mode = 0o777) {
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return [];
  const above = dirname(folder) === folder ? [] : makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
    return [...above, folder];
  } catch (cause) {
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (isTaken && isThere()) return above; // two starts at once may both make it
    removeFolders(above);
    throw cause;
  }
}

/**
 * Takes away folders that `makeFolder` made, unless somebody has put something there.
 * @param {readonly string[]} made as it returned them
 */
export function removeFolders(made) {
  for (const folder of made.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      return; // somebody uses it, and with it what is above
    }
  }
}
