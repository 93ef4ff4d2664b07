import { lstatSync, readFileSync, rmSync, unlinkSync } from "node:fs";
import { endProcesses, type EndOptions, type LadderStep } from "./end-processes.ts";
import { SESSION_MARKER } from "./environment.ts";
import { bootId, sameProcess } from "./processes.ts";
import { parseRecordFile, type RecordFile } from "./reaper-records.ts";

export interface LeftoversReport {
  /**
   * `none`: there was no file. `owner-alive`: whoever wrote it still runs, nothing was touched. `unreadable`: the file was not
   * ours to believe; it was removed when that was possible. `done`: `ended` and `survivors` tell what was found.
   */
  outcome: "none" | "owner-alive" | "unreadable" | "done";
  /** Pids. */
  ended: number[];
  /** Pids. */
  survivors: number[];
  /** Why the file was unreadable. */
  why?: string;
}

const STEPS: readonly LadderStep[] = [
  { signal: "SIGTERM", waitMs: 500 },
  { signal: "SIGKILL", waitMs: 1_500 },
];
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Ends what an earlier life of the app has left when its reaper was killed with it, by the file that the reaper kept. Only
 * processes whose pid and start time fit, their sessions, and what carries that life's marker. To be called before
 * `startReaper` gets the same file. The file is removed unless something survived.
 */
export async function endLeftovers(
  file: string,
  options: Pick<EndOptions, "clock" | "system"> = {},
): Promise<LeftoversReport> {
  const nothing = { ended: [], survivors: [] };
  let records: RecordFile | undefined;
  try {
    records = readRecords(file);
  } catch (error) {
    tryUnlink(file);
    return { ...nothing, outcome: "unreadable", why: error instanceof Error ? error.message : String(error) };
  }
  if (records === undefined) return { ...nothing, outcome: "none" };
  if (await sameProcess(records.owner)) return { ...nothing, outcome: "owner-alive" };

  // Nothing outlives the machine's restart, and the numbers of another start prove nothing.
  const claims = records.boot === bootId() ? records.processes : [];
  const marker = `${SESSION_MARKER}=${records.session}`;
  const { ended, survivors } = await endProcesses({ ...options, claims, marker, steps: STEPS });
  if (survivors.length === 0) rmSync(file, { force: true });
  return { outcome: "done", ended, survivors };
}

/** Undefined when there is no file. @throws Error when it is not a file that our reaper wrote */
function readRecords(file: string): RecordFile | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new Error("not a plain file");
  if (process.getuid !== undefined && found.uid !== process.getuid())
    throw new Error("belongs to another user");
  if (found.size > MAX_FILE_BYTES) throw new Error(`over ${MAX_FILE_BYTES} bytes`);
  return parseRecordFile(readFileSync(file, "utf8"));
}

function tryUnlink(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // A folder, or somebody else's: it stays, is reported again at the next start, and the reaper will not start with it.
  }
}
