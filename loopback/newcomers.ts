import { readFileSync } from "node:fs";
import type { ProcessRow } from "./processes.ts";

/** What is asked of the operating system. */
export interface Numbers {
  /** The number that a process or thread was given last; undefined where the system does not tell. */
  lastPid(): number | undefined;
  /** One process, now; undefined when there is none (or it is a thread's number). */
  readNow(pid: number): ProcessRow | undefined;
}

/** So often newcomers of newcomers are followed in one call: up to about 50 ms, in which nothing else is done here. */
const MAX_PASSES = 300;
/** More numbers than this at once are for another list. */
const MAX_NUMBERS = 1_024;

/**
 * Visits every process that has appeared since `from` was the last number, the newest first, until no more appear. A list
 * alone proves nothing against a process that forks, ends its old self, and forks again: it has another number by the time
 * the old one is looked at. Numbers only grow, so whoever lives when this has settled was either visited, or lived before
 * `from`. A number without a process is looked at twice: the system gives out the number a moment before it shows the process.
 * @param from of before the list was read; undefined where it is not told, and then nothing is known of newcomers
 * @returns whether it has settled. If not, there may be processes that nobody has looked at.
 */
export async function visitNewcomers(
  system: Numbers,
  from: number | undefined,
  visit: (row: ProcessRow) => Promise<void>,
): Promise<boolean> {
  if (from === undefined) return true;
  let last = from;
  let unseen: number[] = [];
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const newest = system.lastPid();
    // Where the numbers have begun anew, only another list tells.
    if (newest === undefined || newest < last || newest - last > MAX_NUMBERS) return false;
    if (newest === last && unseen.length === 0) return true;
    const again = unseen;
    unseen = [];
    for (let pid = newest; pid > last; pid -= 1) {
      const row = system.readNow(pid);
      if (row === undefined) unseen.push(pid);
      else await visit(row);
    }
    for (const pid of again) {
      const row = system.readNow(pid);
      if (row !== undefined) await visit(row);
    }
    last = newest;
  }
  return false;
}

/** See `Numbers`. Linux only. */
export function lastPid(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const number = Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
  return Number.isSafeInteger(number) ? number : undefined;
}
