import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";

/** Writes a file that only its owner can use, whole or not at all. */
export function writeSecretFile(path: string, text: string, mode: 0o400 | 0o600): void {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

const maxBytes = 4096;

/**
 * Reads a file that only its owner may be able to use; undefined when it is not there.
 * @throws Error with a sentence that names the file, when others can use it or it is no small file
 */
export function readSecretFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new Error(`${path} cannot be read`, { cause });
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > maxBytes)
      throw new Error(`${path} is no file of at most ${maxBytes} bytes`);
    // Windows keeps such rights elsewhere: the folder of the person's profile is theirs.
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8);
      throw new Error(`${path} can be used by others (mode ${mode}): chmod 600 it`);
    }
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
