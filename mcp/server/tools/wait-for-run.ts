import { TERMINAL_RUN_STATUSES } from "../../../engine/contract/enums.ts";
import { systemClock, type Clock } from "../../../loopback/clock.ts";
import type { Run } from "../../contract/domain.ts";
import type { WaitedRun } from "../../contract/tools/runs.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import type { ToolContext } from "./handler.ts";

/** Time between two looks at the run: short at first, because most runs are. */
const FIRST_LOOK_MS = 100;
const SLOWEST_LOOK_MS = 1_000;
const SLOWDOWN = 1.4;
/** Callers end a call that says nothing for a minute. */
const PROGRESS_MS = 5_000;

/** Reasons for which a run is held by intention: a wait goes on until it is let go (engine contract, section 2.2). */
const HELD_BY_INTENTION: ReadonlySet<string> = new Set(["injection", "sleep", "wait_event"]);

const isOver = ({ status, pause_reason }: Run): boolean =>
  (TERMINAL_RUN_STATUSES as readonly string[]).includes(status) ||
  (status === "paused" && !HELD_BY_INTENTION.has(pause_reason ?? ""));

/**
 * Waits until the run is over or paused with its retries used up, `timeoutMs` at most; then it is returned as it is. An
 * engine that cannot be reached for a while (a restart) does not end the wait; one that stays away does, with its error.
 */
export async function waitForRun(
  runId: string,
  timeoutMs: number,
  { engine, signal, progress }: Pick<ToolContext, "engine" | "signal" | "progress">,
  clock: Clock = systemClock,
): Promise<WaitedRun> {
  const startedMs = clock.nowMs();
  const leftMs = () => startedMs + timeoutMs - clock.nowMs();
  let lookMs = FIRST_LOOK_MS;
  let toldMs = startedMs;
  for (;;) {
    const outcome = await look(() => engine.getRun(runId, { signal, timeoutMs: Math.max(leftMs(), 1_000) }));
    if (!(outcome instanceof ToolFailure) && isOver(outcome)) return { ...outcome, timed_out: false };
    if (outcome instanceof ToolFailure && !outcome.retryable) throw outcome;
    if (leftMs() <= 0) {
      if (outcome instanceof ToolFailure) throw outcome;
      return { ...outcome, timed_out: true };
    }
    if (clock.nowMs() - toldMs >= PROGRESS_MS) {
      toldMs = clock.nowMs();
      progress(Math.round((toldMs - startedMs) / 1000), Math.round(timeoutMs / 1000));
    }
    await clock.sleep(Math.min(lookMs, leftMs()), signal);
    lookMs = Math.min(lookMs * SLOWDOWN, SLOWEST_LOOK_MS);
  }
}

async function look(read: () => Promise<Run>): Promise<Run | ToolFailure> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
}
