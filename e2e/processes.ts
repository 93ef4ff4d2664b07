import { readdir, readFile } from "node:fs/promises";
import { within } from "../loopback/testing/within.ts";

/** A process told apart from a later one with the same pid by its start time (clock ticks since boot). */
export type Process = { pid: number; parent: number; startTime: string; command: string };

/** Every process that `root` started, directly or not, and `root` itself. */
export async function processTree(root: number): Promise<Process[]> {
  const all = await allProcesses();
  const found = new Map(all.filter((one) => one.pid === root).map((one) => [one.pid, one]));
  for (let grew = true; grew;) {
    grew = false;
    for (const one of all) {
      if (!found.has(one.pid) && found.has(one.parent)) {
        found.set(one.pid, one);
        grew = true;
      }
    }
  }
  return [...found.values()];
}

/** Those of these pids that run now. */
export async function processesByPid(pids: readonly number[]): Promise<Process[]> {
  const rows = await Promise.all(pids.map(readProcess));
  return rows.filter((row) => row !== undefined);
}

/** Every process whose environment carries `NAME=value`: how children that left their parent are found. */
export async function processesWithEnv(entry: string): Promise<Process[]> {
  const marked: Process[] = [];
  for (const one of await allProcesses()) {
    const environ = await readFile(`/proc/${one.pid}/environ`, "utf8").catch(() => "");
    if (environ.split("\0").includes(entry)) marked.push(one);
  }
  return marked;
}

/** Those of the given processes that still run: the same pid with the same start time, zombies left out. */
export async function stillAlive(processes: Process[]): Promise<Process[]> {
  const alive: Process[] = [];
  for (const one of processes) {
    const now = await readProcess(one.pid);
    if (now !== undefined && now.startTime === one.startTime) alive.push(one);
  }
  return alive;
}

/**
 * Waits until none of them runs any more, `promisedMs` at most on a machine that has time.
 * @throws with the command lines of what is left
 */
export async function allGone(processes: Process[], promisedMs: number): Promise<void> {
  let left = processes;
  try {
    await within("the end of all", promisedMs, async () => {
      left = await stillAlive(left);
      return left.length === 0;
    });
  } catch (cause) {
    throw new Error(`left after ${promisedMs} ms: ${left.map(({ command }) => command).join("; ")}`, {
      cause,
    });
  }
}

async function allProcesses(): Promise<Process[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = await Promise.all(names.map((name) => readProcess(Number(name))));
  return read.filter((one) => one !== undefined);
}

/** undefined when there is no such process, or only its zombie. */
async function readProcess(pid: number): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  const startTime = fields[19];
  if (state === undefined || state === "Z" || state === "X" || startTime === undefined) return undefined;
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return { pid, parent: Number(parent), startTime, command: command.replaceAll("\0", " ").trim() };
}

/** Whether a process with this pid runs now; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readProcess(pid)) !== undefined;
}
