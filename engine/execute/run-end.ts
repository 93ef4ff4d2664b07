import { TERMINAL_RUN_STATUSES } from "../contract/enums.ts";
import type { Core } from "../core.ts";
import type { RunRow } from "../store/runs.ts";

/** A run that nobody waits for any longer: at its end, or held until a person does something. */
const isOver = (run: RunRow | undefined) =>
  run === undefined || run.status === "paused" || TERMINAL_RUN_STATUSES.includes(run.status);

/**
 * Waits until runs are at their end or paused, for `timeoutMs` at most, or until `signal`. Answers the runs as they are
 * then; one that was deleted is missing.
 */
export async function waitForRuns(
  core: Core,
  runIds: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<RunRow[]> {
  const open = new Set(runIds.filter((id) => !isOver(core.store.runs.get(id))));
  if (open.size > 0 && !signal.aborted) {
    await new Promise<void>((resolve) => {
      const end = () => {
        unsubscribe();
        late();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const unsubscribe = core.hub.subscribe(({ topic }) => {
        const id = /^system\.run\.([^.]+)\.[a-z]+$/.exec(topic)?.[1];
        if (id === undefined || !open.has(id) || !isOver(core.store.runs.get(id))) return;
        open.delete(id);
        if (open.size === 0) end();
      });
      const late = core.clock.after(timeoutMs, end);
      signal.addEventListener("abort", end);
    });
  }
  return runIds.flatMap((id) => core.store.runs.get(id) ?? []);
}

/** `waitTimedOut`: the run was still going on when the wait was over. */
export const isStillOpen = (run: RunRow): boolean => !isOver(run);
