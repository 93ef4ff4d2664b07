import { setImmediate as nextTurn } from "node:timers/promises";
import type { ProcessRow } from "./processes.ts";

export interface ProcessReads {
  list(): Promise<ProcessRow[]>;
  /** A process's environment as `\0NAME=value\0…\0`, "" when it cannot be had. */
  environ(pid: number): string;
}

/**
 * Reads that are shared by all who ask for them in one turn of the event loop: to end fifty sessions at once costs about as
 * much as to end one, where each reads every process of the machine several times. A list is read after it was asked for.
 */
export function sharedReads(read: ProcessReads): {
  list(): Promise<ProcessRow[]>;
  carries(pid: number, entry: string): boolean;
} {
  let coming: Promise<ProcessRow[]> | undefined;
  let environs: Map<number, string> | undefined;

  return {
    list: () =>
      (coming ??= nextTurn().then(() => {
        coming = undefined;
        return read.list();
      })),
    carries(pid, entry) {
      if (environs === undefined) {
        environs = new Map();
        setImmediate(() => (environs = undefined));
      }
      const known = environs.get(pid) ?? read.environ(pid);
      environs.set(pid, known);
      return known.includes(`\0${entry}\0`);
    },
  };
}
