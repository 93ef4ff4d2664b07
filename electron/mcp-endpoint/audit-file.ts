import { open, rename, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

export interface AuditFileLimits {
  /** A file that would grow beyond this is put aside. */
  readonly rotateBytes: number;
  /** How many files put aside are kept. */
  readonly keep: number;
}
export const AUDIT_LIMITS: AuditFileLimits = { rotateBytes: 16 * 1024 * 1024, keep: 4 };

/** The files of an audit, the one that is written first, then from the newest to the oldest. */
export const auditFiles = (path: string, keep: number): string[] => [
  path,
  ...Array.from({ length: keep }, (_, at) => `${path}.${at + 1}`),
];

/** A file of lines that is added to, for its owner only. All file work runs in the thread pool. */
export interface AuditFile {
  /** The lines are on disk when this resolves. @throws the file system's error */
  append(lines: string): Promise<void>;
  close(): Promise<void>;
}

export function auditFile(path: string, limits: AuditFileLimits): AuditFile {
  let file: FileHandle | undefined;
  let bytes = 0;

  async function opened(): Promise<FileHandle> {
    if (file !== undefined) return file;
    const handle = await open(path, "a+", 0o600);
    try {
      await handle.chmod(0o600);
      bytes = (await handle.stat()).size;
      if (await isTorn(handle, bytes)) {
        await handle.appendFile("\n");
        bytes += 1;
      }
      await syncFolder(path); // a new file's name must outlive a power cut like its lines
    } catch (cause) {
      await handle.close();
      throw cause;
    }
    return (file = handle);
  }

  async function close(): Promise<void> {
    const closing = file;
    file = undefined;
    await closing?.close();
  }

  async function putAside(): Promise<void> {
    await close();
    const files = auditFiles(path, limits.keep);
    for (let at = files.length - 1; at > 0; at -= 1) {
      const [from = "", to = ""] = [files[at - 1], files[at]];
      if (await exists(from)) await rename(from, to);
    }
  }

  return {
    async append(lines) {
      const more = Buffer.byteLength(lines);
      let handle = await opened();
      if (bytes > 0 && bytes + more > limits.rotateBytes) {
        await putAside();
        handle = await opened();
      }
      try {
        await handle.appendFile(lines);
        await handle.datasync();
        bytes += more;
      } catch (cause) {
        // What was written of it is not known: the next line begins anew, after a look at the end of the file.
        await close().catch(() => {});
        throw cause;
      }
    },
    close,
  };
}

/** The last line has no end: whoever wrote it was cut off. */
async function isTorn(handle: FileHandle, bytes: number): Promise<boolean> {
  if (bytes === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, bytes - 1);
  return buffer[0] !== 0x0a;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return; // a folder cannot be opened there
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
