import type { Run, WaitingFor } from "../../contract/domain.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import type { ToolContext } from "./handler.ts";

/**
 * Adds to a run that waits what it waits for: engines tell that with its steps only. A run whose steps cannot be read is
 * handed on as it is.
 */
export async function withWaitingFor<Whole extends Run>(
  run: Whole,
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<Whole> {
  if (run.status !== "waiting") return run;
  const waiting_for = await readWaitingFor(run.id, { engine, signal });
  return waiting_for === undefined ? run : { ...run, waiting_for };
}

async function readWaitingFor(
  runId: string,
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<WaitingFor | undefined> {
  try {
    const { steps } = await engine.getRunSteps(runId, { signal });
    const step = steps.findLast(({ status }) => status === "waiting" || status === "sleeping");
    if (step === undefined) return undefined;
    const { name, step_type, wait_event_name: event, sleep_until, wait_timeout } = step;
    const until = sleep_until ?? wait_timeout;
    return {
      step: name,
      step_type,
      ...(event === undefined ? {} : { event }),
      ...(until === undefined ? {} : { until }),
    };
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
