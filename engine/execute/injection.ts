import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { JsonText } from "../json/json-text.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { auditRun } from "./audit.ts";
import { findRun } from "./commands.ts";
import { announceStep } from "./notices.ts";
import { forgetWaits } from "./ready.ts";

/** A person puts an output in a step's place; the function will be given it when the run goes on. */
export interface Injection {
  environmentId: string;
  runId: string;
  /** The step's id or name. */
  step: string;
  output: JsonText;
  reason: string;
}

/** Only a paused run takes an injection. @throws ApiError not_found, failed_precondition */
export function injectOutput(
  core: Core,
  tx: Tx,
  wanted: Injection,
): { step: StepRow; previous: string | null } {
  const run = findRun(core, wanted.environmentId, wanted.runId);
  if (run.status !== "paused") {
    throw new ApiError("failed_precondition", `run ${run.id} is ${run.status}; pause it first`);
  }
  const steps = core.store.steps.byRun(run.id);
  const step =
    steps.find(({ id }) => id === wanted.step) ?? steps.findLast(({ name }) => name === wanted.step);
  if (step === undefined) throw new ApiError("not_found", `run ${run.id} has no step ${wanted.step}`);
  return { step: replaceOutput(core, tx, run, step, wanted, true), previous: step.output };
}

/** Corrects the output of a step by its row id. @throws ApiError not_found, failed_precondition while the run is running */
export function patchStep(core: Core, tx: Tx, wanted: Omit<Injection, "runId">): StepRow {
  const step = core.store.steps.get(wanted.step);
  const run = step === undefined ? undefined : core.store.runs.get(step.run_id);
  if (step === undefined || run?.environment_id !== wanted.environmentId) {
    throw new ApiError("not_found", `step ${wanted.step} not found`);
  }
  if (run.status === "running") {
    throw new ApiError("failed_precondition", `run ${run.id} is running; pause it first`);
  }
  return replaceOutput(core, tx, run, step, wanted, false);
}

function replaceOutput(
  core: Core,
  tx: Tx,
  run: RunRow,
  step: StepRow,
  wanted: { output: JsonText; reason: string },
  injected: boolean,
): StepRow {
  const pending = step.status === "sleeping" || step.status === "waiting";
  if (pending && run.status !== "paused") {
    throw new ApiError("failed_precondition", `run ${run.id} waits with this step; pause it first`);
  }
  // What it waited for must not come on top.
  if (pending) forgetWaits(core, run.id);
  core.store.steps.patch(step.id, { output: wanted.output.text, by: "api", injected }, tx.nowMs);
  if (pending) core.store.runs.update(run, { pause_reason: "injection" }, tx.nowMs);
  const patched = core.store.steps.get(step.id) ?? step;
  const type = injected ? "step.injected" : "step.patched";
  auditRun(
    core,
    tx,
    run,
    type,
    {
      name: step.name,
      reason: wanted.reason,
      // For those who ask how it was before.
      ...(step.output === null ? {} : { previous_output: new JsonText(step.output) }),
    },
    step.id,
  );
  announceStep(core, tx, run, patched, "updated");
  return patched;
}
