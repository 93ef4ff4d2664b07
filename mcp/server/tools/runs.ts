import type { ToolHandlers } from "./handler.ts";

export const runHandlers: ToolHandlers<"ironflow_list_runs" | "ironflow_get_run" | "ironflow_get_run_steps"> =
  {
    ironflow_list_runs: (filter, { engine, signal }) => engine.listRuns(filter, { signal }),
    ironflow_get_run: ({ run_id }, { engine, signal }) => engine.getRun(run_id, { signal }),
    ironflow_get_run_steps: ({ run_id }, { engine, signal }) => engine.getRunSteps(run_id, { signal }),
  };
