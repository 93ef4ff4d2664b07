import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { removeFolders } from "../loopback/make-folder.mjs";
import { systemReason } from "../loopback/system-reason.ts";
import { makeWritableFolder } from "../loopback/writable-folder.ts";
import { messageOf } from "./errors.ts";

/** The folder of one engine, held so that no second engine opens it. */
export interface DataDir {
  /** The database file, absolute: a process that works elsewhere opens it too. */
  database: string;
  release(): void;
  /** Releases it, and takes away what was not there when it was opened: the database too. */
  undo(): void;
}

/** An engine runs in the folder. */
export class DataDirHeld extends Error {}

const DATABASE = "engine.db";
const LOCK = "engine.lock";

/** Whether an engine has ever kept its data there. */
export const holdsEngine = (path: string): boolean => existsSync(join(path, DATABASE));

/**
 * Makes the folder (mode 0700), lets this process make files for its own user only, and takes the folder's lock: a SQLite file under an exclusive transaction, because the system drops
 * that lock with the process, however it ends.
 * @throws DataDirHeld, and Error when the folder or the lock's file cannot be used
 */
export function openDataDir(path: string): DataDir {
  // The folder may have been there, and SQLite makes its files with what the process allows.
  process.umask(0o077);
  const madeFolders = makeDataFolder(path);
  const newFiles = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`, LOCK]
    .map((name) => join(path, name))
    .filter((file) => !existsSync(file));
  const lock = takeLock(join(path, LOCK));
  return {
    database: resolve(path, DATABASE),
    release: () => lock.close(),
    undo() {
      // While the lock is held nobody else can have begun to use them. Windows removes no open file.
      if (process.platform === "win32") lock.close();
      for (const file of newFiles) rmSync(file, { force: true });
      if (process.platform !== "win32") lock.close();
      removeFolders(madeFolders);
    },
  };
}

function makeDataFolder(path: string): readonly string[] {
  try {
    return makeWritableFolder(path);
  } catch (cause) {
    throw new Error(
      `the data folder ${path} cannot be used (${systemReason(cause)}); choose a folder that can be written with --data-dir=DIR`,
      { cause },
    );
  }
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
      throw new DataDirHeld(
        `another engine is running in ${dirname(file)}; stop it, or choose another folder with --data-dir=DIR`,
        { cause },
      );
    throw new Error(
      `the lock file ${file} cannot be used (${messageOf(cause)}); it holds no data: when no other engine runs in that folder, delete it and start again`,
      { cause },
    );
  }
}

/** SQLite's busy and locked. */
const isHeld = (code: number): boolean => [5, 6].includes(code & 0xff);
