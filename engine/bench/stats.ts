import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The value that so many of the samples (0.5 is the median) do not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("no samples");
  return value;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** Two digits after the point are more than these measurements have. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

/** Resident memory of a process, MB of 1024 x 1024 bytes. */
export function residentMb(pid: number): number {
  const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return kilobytes / 1024;
}

/** Processor time that a process has used so far, ms. Linux only: 0 elsewhere. */
export function processorMs(pid: number): number {
  try {
    // Fields 14 and 15 of the whole, 12 and 13 after the name: user and system time in ticks of 10 ms.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/** Calls `work` one after the other; how long each took, ms. */
export async function timeEach(times: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    await work(index);
    samples.push(performance.now() - start);
  }
  return samples;
}

/** Does `total` pieces of work, `atOnce` at a time; pieces per second. */
export async function ratePerSecond(
  total: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const start = performance.now();
  const worker = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return total / ((performance.now() - start) / 1000);
}
