import { TERMINAL_RUN_STATUSES } from "../../engine/contract/enums.ts";
import type { ToolInput } from "../contract/tools.ts";
import { ToolFailure } from "../upstream/tool-failure.ts";
import type { ToolContext } from "./tools/handler.ts";

/** What the person is asked before an irreversible call: the target as it is now, and what would be lost. */
type Question<Input> = (input: Input, context: Pick<ToolContext, "engine" | "signal">) => Promise<string>;

const deleteRun: Question<ToolInput<"ironflow_delete_run">> = async ({ run_id }, { engine, signal }) => {
  const run = await engine.getRun(run_id, { signal });
  // The engine refuses such a run; nobody should have to answer a question that leads nowhere.
  if (!(TERMINAL_RUN_STATUSES as readonly string[]).includes(run.status))
    throw new ToolFailure({
      code: "failed_precondition",
      message: `run ${run_id} is ${run.status}; only a finished run can be deleted, and nothing was changed`,
      retryable: false,
      hint: "Cancel it first with ironflow_cancel_run, if the person wants that.",
    });
  return (
    `Delete run ${run.id} for good? It is ${run.status}, of function ${run.function_id}, created ${run.created_at}, on ${engine.url}. ` +
    "Its input, output, errors and steps are lost and cannot be brought back."
  );
};

/** One per irreversible row; a test compares. */
export const QUESTIONS = { ironflow_delete_run: deleteRun } as const;

export type IrreversibleName = keyof typeof QUESTIONS;
