import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";

/** The folder of one engine, held so that no second engine opens it. */
export interface DataDir {
  /** The database file. */
  database: string;
  release(): void;
}

/**
 * Makes the folder (mode 0700), lets this process make files for its own user only, and takes the folder's lock: a SQLite file under an exclusive transaction, because the system drops
 * that lock with the process, however it ends.
 * @throws Error when another engine holds the folder
 */
export function openDataDir(path: string): DataDir {
  // The folder may have been there, and SQLite makes its files with what the process allows.
  process.umask(0o077);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(path, "engine.lock"));
  try {
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    throw new Error(`another engine is running in ${path}`, { cause: error });
  }
  return { database: join(path, "engine.db"), release: () => lock.close() };
}
