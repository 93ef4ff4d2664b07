import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes a whole file so that after a crash there is the old text or the new one, never a part: a new file beside it,
 * flushed, renamed over it, and the folder flushed. Mode 0600: everything in the profile is the person's alone.
 */
export function writeFileAtomic(path: string, text: string): void {
  const folder = dirname(path);
  const fresh = join(folder, `.${randomUUID()}.tmp`);
  try {
    const file = openSync(fresh, "wx", 0o600);
    try {
      writeAll(file, Buffer.from(text, "utf8"));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw cause;
  }
  flushFolder(folder);
}

const UNFINISHED = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Takes away what `writeFileAtomic` had not finished when the app was killed. Only while nobody else writes in the folder. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (UNFINISHED.test(name)) rmSync(join(folder, name), { force: true });
  }
}

/** The file's text, or undefined when there is none. */
export function readFileIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Where a file that cannot be understood is kept. */
export function asideOf(path: string, now: Date): string {
  return `${path}.broken-${now.toISOString().replaceAll(/[:.]/g, "-")}`;
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}

function flushFolder(folder: string): void {
  if (process.platform === "win32") return; // a folder cannot be opened there, and NTFS logs the rename itself
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
