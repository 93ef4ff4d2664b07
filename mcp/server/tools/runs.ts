import type { ToolHandlers } from "./handler.ts";
import { waitForRun } from "./wait-for-run.ts";
import { withWaitingFor } from "./waiting-for.ts";

export const runHandlers: ToolHandlers<
  | "ironflow_list_runs"
  | "ironflow_get_run"
  | "ironflow_get_run_steps"
  | "ironbridge_get_run_attempts"
  | "ironflow_wait_for_run"
  | "ironflow_cancel_run"
  | "ironflow_resume_run"
  | "ironflow_delete_run"
> = {
  ironflow_list_runs: (filter, { engine, signal }) => engine.listRuns(filter, { signal }),
  ironflow_get_run: async ({ run_id }, context) =>
    withWaitingFor(await context.engine.getRun(run_id, { signal: context.signal }), context),
  ironflow_get_run_steps: ({ run_id }, { engine, signal }) => engine.getRunSteps(run_id, { signal }),
  ironbridge_get_run_attempts: ({ run_id }, { engine, signal }) => engine.getRunAttempts(run_id, { signal }),
  ironflow_wait_for_run: async ({ run_id, timeout_seconds }, context) =>
    withWaitingFor(await waitForRun(run_id, timeout_seconds * 1000, context), context),
  ironflow_cancel_run: ({ run_id, reason }, { engine, signal }) =>
    engine.cancelRun(run_id, reason, { signal }),
  ironflow_resume_run: ({ run_id, from_step }, { engine, signal }) =>
    engine.resumeRun(run_id, from_step, { signal }),
  ironflow_delete_run: async ({ run_id }, { engine, signal }) => {
    await engine.deleteRun(run_id, { signal });
    return { run_id, deleted: true };
  },
};
