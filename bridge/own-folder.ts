import { lstatSync, mkdirSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const PREFIX = "ironbridge-terminals-";
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

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

/**
 * Makes a private folder of this process, after removing those that others left behind which did not end in order.
 * @param isLeft whether the folder of a process with this number, which is not ours, is one of those
 */
export async function newOwnFolder(
  parent: string,
  isLeft: (pid: number) => boolean = (pid) => !isRunning(pid),
): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = Number(NAME.exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && isLeft(pid)) await removeIfOurs(join(parent, name));
  }
  return mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
}

async function removeIfOurs(folder: string): Promise<void> {
  try {
    if (isOwnFolder(folder)) await rm(folder, { recursive: true, force: true });
  } catch {
    // Another bridge of the same user is removing it too, or it cannot be removed: it is private either way.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
