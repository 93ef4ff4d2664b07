import { execFile } from "node:child_process";

/**
 * Signals a process; false when there is none. A negative pid means a group, as in kill(2).
 * Errors other than "no such process" and "not allowed" are thrown: they are mistakes in our arguments.
 */
export function signalPid(pid: number, signal: NodeJS.Signals): boolean {
  // kill(0), kill(1) and kill(-1) reach ourselves, init and everybody.
  if (!Number.isSafeInteger(pid) || Math.abs(pid) < 2)
    throw new RangeError(`not a process to signal: ${pid}`);
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))
      return false;
    throw error;
  }
}

/** Signals every process of a group; false when the group is empty. */
export function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  return signalPid(-group, signal);
}

/** Windows: ends a process and its children. Resolves when taskkill has finished, also when there was nothing to end. */
export function taskkillTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", taskkillArgs(pid), { windowsHide: true, timeout: 10_000 }, () => {
      resolve();
    });
  });
}

export function taskkillArgs(pid: number): string[] {
  return ["/PID", String(pid), "/T", "/F"];
}
