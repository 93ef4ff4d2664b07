import type { RunError } from "../contract/runs.ts";
import type { Core } from "../core.ts";
import { errorText } from "../secrets/masker.ts";
import type { RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import { forgetWaits, goOn } from "./ready.ts";
import { announceStep } from "./notices.ts";

/** Tells the run that waits for this child how the child ended, and lets it go on. */
export function settleParent(core: Core, tx: Tx, child: RunRow): void {
  if (child.parent_run_id === null || child.parent_step_id === null) return;
  const parent = core.store.runs.get(child.parent_run_id);
  const step = core.store.steps.get(child.parent_step_id);
  // The parent may have stopped waiting: timed out, cancelled, deleted.
  if (parent?.status !== "waiting" && parent?.status !== "paused") return;
  if (step?.status !== "waiting" || step.child_run_id !== child.id) return;
  const completed = child.status === "completed";
  core.store.steps.settle(
    step.id,
    completed
      ? { status: "completed", output: child.output, error: null, attempt: parent.attempt }
      : {
          status: "failed",
          output: null,
          error: errorText(core, tx, parent, childError(child, causeOf(child))),
          attempt: parent.attempt,
        },
    tx.nowMs,
  );
  announceStep(core, tx, parent, { ...step, status: child.status }, completed ? "completed" : "failed");
  forgetWaits(core, parent.id);
  goOn(core, tx, parent);
}

/** A RunError whose message is the JSON text that SDKs expect of a failed invoke step (section 3.3). */
export function childError(child: { id: string | null; function_id: string }, cause: string): RunError {
  const message = JSON.stringify({ function_id: child.function_id, child_run_id: child.id ?? "", cause });
  return { message, code: "INVOKE_FAILED", retryable: false };
}

function causeOf(child: RunRow): string {
  if (child.status === "cancelled") return `run was cancelled: ${child.cancellation_cause ?? ""}`;
  const error = child.error === null ? undefined : (JSON.parse(child.error) as { message?: unknown });
  return typeof error?.message === "string" ? error.message : "run failed";
}
