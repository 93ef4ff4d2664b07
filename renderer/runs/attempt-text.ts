import type { Run, RunAttempt } from "../../mcp/contract/domain.ts";

/** At its end, or held until a person does something. */
export const isOver = (status: Run["status"]): boolean =>
  status === "completed" || status === "failed" || status === "cancelled" || status === "paused";

/**
 * Which attempt the run is in. A resume counts from 1 again, while the failed attempts before it stay listed: then the text
 * says so, and how many there were in all.
 */
export function attemptText(
  run: Pick<Run, "status" | "attempt" | "max_attempts">,
  failed: readonly Pick<RunAttempt, "attempt">[],
): string {
  const text = `${run.attempt} of ${run.max_attempts}`;
  // The attempt that a run ended or is held with has failed itself; a cancelled one may have.
  const ownFailed = run.status === "failed" || run.status === "paused" || run.status === "cancelled";
  const sinceResume = ownFailed ? run.attempt : run.attempt - 1;
  if (failed.length <= sinceResume) return text;
  const all = failed.length + (run.status === "failed" || run.status === "paused" ? 0 : 1);
  return `${text} since it was resumed, ${all} in all`;
}
