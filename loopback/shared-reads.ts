import { setImmediate as nextTurn } from "node:timers/promises";
import { standFor, type LastingMarks } from "./lasting-mark.ts";
import type { ProcessRow } from "./processes.ts";

export interface ProcessReads {
  list(): Promise<ProcessRow[]>;
  /** A process's environment as `\0NAME=value\0…\0`, "" when it cannot be had. */
  environ(pid: number): string;
  /** Of a process, undefined when there are none of ours. */
  marks(pid: number): LastingMarks | undefined;
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
  let known: Map<number, { environ: string; marks: LastingMarks | undefined }> | undefined;

  return {
    list: () =>
      (coming ??= nextTurn().then(() => {
        coming = undefined;
        return read.list();
      })),
    carries(pid, entry) {
      if (known === undefined) {
        known = new Map();
        setImmediate(() => (known = undefined));
      }
      const process = known.get(pid) ?? { environ: read.environ(pid), marks: read.marks(pid) };
      known.set(pid, process);
      return process.environ.includes(`\0${entry}\0`) || standFor(process.marks, entry);
    },
  };
}
