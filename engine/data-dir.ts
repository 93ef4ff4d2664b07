import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { messageOf } from "./errors.ts";

/** The folder of one engine, held so that no second engine opens it. */
export interface DataDir {
  /** The database file, absolute: a process that works elsewhere opens it too. */
  database: string;
  release(): void;
}

/**
 * Makes the folder (mode 0700), lets this process make files for its own user only, and takes the folder's lock: a SQLite file under an exclusive transaction, because the system drops
 * that lock with the process, however it ends.
 * @throws Error when another engine holds the folder, or the lock's file cannot be used
 */
export function openDataDir(path: string): DataDir {
  // The folder may have been there, and SQLite makes its files with what the process allows.
  process.umask(0o077);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const file = join(path, "engine.lock");
  const lock = takeLock(file);
  return { database: resolve(path, "engine.db"), release: () => lock.close() };
}

function takeLock(file: string): InstanceType<typeof DatabaseSync> {
  let lock: InstanceType<typeof DatabaseSync> | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec("begin exclusive");
    return lock;
  } catch (cause) {
    lock?.close();
    if (cause instanceof Error && "errcode" in cause && isHeld(Number(cause.errcode)))
      throw new Error(`another engine is running in ${dirname(file)}`, { cause });
    throw new Error(
      `the lock file ${file} cannot be used (${messageOf(cause)}); it holds no data: when no other engine runs in that folder, delete it and start again`,
      { cause },
    );
  }
}

/** SQLite's busy and locked. */
const isHeld = (code: number): boolean => [5, 6].includes(code & 0xff);
