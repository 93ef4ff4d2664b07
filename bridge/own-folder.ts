import { lstatSync, mkdirSync } from "node:fs";

/**
 * Makes a private folder (0700) unless it is there: a command may have removed it, or what tidies temporary folders, and
 * anybody may take its name then. Synchronous, since a log that spills waits for nothing.
 * @throws when somebody else did, or it cannot be made
 */
export function makeOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    if (!isOwnFolder(folder)) throw new Error(`not a folder of ours: ${folder}`, { cause: error });
  }
}

/** Whether it is a folder, no link to one, of the user that we run as. @throws when it cannot be looked at */
export function isOwnFolder(path: string): boolean {
  const found = lstatSync(path);
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}
