import { readlinkSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** Who has the profile, as Chromium's lock tells: a link named SingletonLock to "<host>-<pid>". */
export type LockHolder =
  | { readonly kind: "here"; readonly pid: number }
  | { readonly kind: "elsewhere"; readonly host: string; readonly pid: number }
  /** There is no lock, or its process is gone. */
  | { readonly kind: "nobody" }
  /** The lock of this platform cannot be read. */
  | { readonly kind: "unknown" };

export const LOCK_FILE = "SingletonLock";
const SOCKET_FILE = "SingletonSocket";

export function lockHolder(
  folder: string,
  options = { host: hostname(), platform: process.platform, isAlive },
): LockHolder {
  if (options.platform === "win32") return { kind: "unknown" };
  const [, host, pidText] = /^(.*)-(\d+)$/.exec(linkAt(join(folder, LOCK_FILE)) ?? "") ?? [];
  if (host === undefined) return { kind: "nobody" };
  const pid = Number(pidText);
  if (host !== options.host) return { kind: "elsewhere", host, pid };
  return options.isAlive(pid) ? { kind: "here", pid } : { kind: "nobody" };
}

/**
 * The folder that holds an instance's socket, which Chromium makes in the system's folder for temporary files and names
 * in the profile; undefined when there is none, or it is not one that Chromium makes.
 */
export function socketFolder(folder: string, temporary = tmpdir()): string | undefined {
  const socket = linkAt(join(folder, SOCKET_FILE));
  if (socket === undefined) return undefined;
  const holder = dirname(socket);
  const made = dirname(holder) === temporary && /^(scoped_dir|\.org\.chromium\.)/.test(basename(holder));
  return made ? holder : undefined;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no lock, or no link: either way it names nobody
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}
