import { nodeProgram } from "../../loopback/environment.ts";
import { readProcess } from "../../loopback/processes.ts";
import { endLeftovers } from "../../loopback/leftovers.ts";
import { startReaper, type Reaper } from "../../loopback/reaper.ts";
import { logError, logInfo, sentenceOf } from "../log.ts";
import type { Profile } from "../profile.ts";
import { StartProblem } from "../start-problem.ts";

/** Who is told of every child, so that it can be ended when main dies. */
export interface ProcessRecords {
  /** @param startTime when it started, as loopback/processes.ts calls it, where that is known already */
  readonly started: (pid: number, startTime?: string) => void;
  readonly ended: (pid: number) => void;
}

/**
 * Starts the reaper, the first child of all: when main is gone, however it went, the reaper ends what was recorded and
 * what carries this launch's marker. Leftovers of a launch that not even its reaper outlived are ended first.
 */
export async function startProcessRecords(options: {
  /** Path of the bundled reaper. */
  program: string;
  profile: Profile;
  /** This launch's marker. */
  launch: string;
}): Promise<ProcessRecords & { close(): Promise<void> }> {
  const before = await endLeftovers(options.profile.processes);
  if (before.ended.length > 0)
    logInfo("reaper", `ended ${before.ended.length} processes of an earlier launch`);
  if (before.survivors.length > 0)
    logError("reaper", `could not end ${before.survivors.join(", ")} of an earlier launch`);
  if (before.why !== undefined)
    logError("reaper", `the record of the earlier launch was no use: ${before.why}`);
  const reaper = await startReaper({
    program: nodeProgram(options.program),
    session: options.launch,
    file: options.profile.processes,
    onLost: (cause) =>
      logError("reaper", "is gone: a crash of the app would now leave processes behind", cause),
  }).catch((cause: unknown) => {
    throw new StartProblem(
      `The reaper, which keeps its record in ${options.profile.processes}, could not start (${sentenceOf(cause)}); see that this file can be written, or choose another folder with --user-data-dir=DIR.`,
      { cause },
    );
  });
  return {
    started: (pid, startTime) => void record(reaper, pid, startTime),
    ended: (pid) => void forget(reaper, pid),
    async close() {
      const { survivors } = await reaper.close();
      if (survivors.length > 0) throw new Error(`could not end the processes ${survivors.join(", ")}`);
    },
  };
}

async function record(reaper: Reaper, pid: number, startTime?: string): Promise<void> {
  try {
    const id = startTime === undefined ? await readProcess(pid) : { pid, startTime };
    if (id !== undefined) await reaper.record(id);
  } catch (cause) {
    // Its marker still covers it, unless it took that off.
    logError("reaper", `does not know of process ${pid}: ${sentenceOf(cause)}`);
  }
}

async function forget(reaper: Reaper, pid: number): Promise<void> {
  try {
    await reaper.forget(pid);
  } catch (cause) {
    // It compares start times, so another process of this number is safe.
    logError("reaper", `still knows of process ${pid}: ${sentenceOf(cause)}`);
  }
}
