import { readFileSync } from "node:fs";

/** Is there a process with this pid that still runs? A zombie does not. Linux only. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
