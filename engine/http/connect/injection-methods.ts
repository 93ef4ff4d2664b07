import * as z from "zod/v4";
import { TERMINAL_RUN_STATUSES } from "../../contract/enums.ts";
import { ApiError } from "../../errors.ts";
import { DELETE_RUNS_PER_CALL, deleteRuns, requestPause } from "../../execute/commands.ts";
import { injectOutput, patchStep } from "../../execute/injection.ts";
import { redactEvent, redactRun, redactStep } from "../../execute/redact.ts";
import { JsonText, toJsonText } from "../../json/json-text.ts";
import type { StepRow } from "../../store/steps.ts";
import { fromBytes, toBytes } from "../bytes.ts";
import { IdText, plainText, RunStatusText, TimeMs, unsetEnum } from "../fields.ts";
import { readRun } from "../reads.ts";
import { connectStep } from "../shapes.ts";
import { toTimestamp } from "../../clock.ts";
import { Struct } from "./emit-methods.ts";
import { method, type ConnectMethod } from "./method.ts";

const byRunId = z.strictObject({ runId: IdText });
const reason = plainText(4096).optional();

/** Runs removed in one transaction: it bounds the time the engine answers nothing else. */
const deleteBatch = 200;

function pausedStep(step: StepRow): Record<string, unknown> {
  return {
    id: step.id,
    name: step.name,
    output: step.output === null ? undefined : toBytes(step.output),
    injected: step.injected === 1,
    completedAt: step.ended_at === null ? undefined : toTimestamp(step.ended_at),
    stepType: step.type,
    status: step.status === "completed" ? "completed" : "failed",
    error: step.error === null ? undefined : toBytes(step.error),
  };
}

/** Pause, injection, patch, bulk delete and redaction, section 2.2. */
export const injectionMethods: Record<string, ConnectMethod> = {
  PauseRun: method(byRunId, ({ core, environment }, { runId }) =>
    core.writer.write((tx) => ({ status: requestPause(core, tx, environment.id, runId) })),
  ),
  GetPausedState: method(byRunId, (call, { runId }) => {
    const run = readRun(call, runId);
    if (run.status !== "paused") {
      throw new ApiError("failed_precondition", `run ${runId} is ${run.status}, not paused`);
    }
    const steps = call.core.store.steps.byRun(run.id);
    const done = steps.filter(({ status }) =>
      ["completed", "failed", "timed_out", "retrying", "dead"].includes(status),
    );
    const next = steps.find(({ status }) => status !== "completed");
    return { steps: done.map(pausedStep), nextStepHint: next?.name ?? "", pauseReason: run.pause_reason };
  }),
  InjectStepOutput: method(
    z.strictObject({ runId: IdText, stepId: IdText, newOutput: z.unknown().optional(), reason }),
    ({ core, environment }, input) => {
      const output = fromBytes(input.newOutput, "newOutput");
      return core.writer.write((tx) => {
        const { step, previous } = injectOutput(core, tx, {
          environmentId: environment.id,
          runId: input.runId,
          step: input.stepId,
          output,
          reason: input.reason ?? "",
        });
        return { stepId: step.id, previousOutput: previous === null ? undefined : toBytes(previous) };
      });
    },
    ["newOutput"],
  ),
  PatchStep: method(
    z.strictObject({
      stepId: IdText,
      output: Struct.optional(),
      outputValue: z.unknown().optional(),
      reason,
    }),
    ({ core, environment }, input) => {
      const output = input.outputValue === undefined ? input.output : input.outputValue;
      if (output === undefined) throw new ApiError("invalid_argument", "output: is required");
      return core.writer.write((tx) =>
        connectStep(
          patchStep(core, tx, {
            environmentId: environment.id,
            step: input.stepId,
            output: output instanceof JsonText ? output : toJsonText(output),
            reason: input.reason ?? "",
          }),
        ),
      );
    },
    ["output", "outputValue"],
  ),
  DeleteRuns: method(
    z.strictObject({
      functionId: plainText(256).optional(),
      status: z
        .union([
          RunStatusText.refine((status) => TERMINAL_RUN_STATUSES.includes(status), "must be an end"),
          z
            .string()
            .refine(unsetEnum)
            .transform(() => undefined),
        ])
        .optional(),
      until: TimeMs.optional(),
    }),
    async ({ core, environment }, input) => {
      const wanted = {
        environmentId: environment.id,
        functionId: input.functionId || undefined,
        status: input.status,
        untilMs: input.until,
      };
      let deleted = 0;
      while (deleted < DELETE_RUNS_PER_CALL) {
        const some = await core.writer.write((tx) => deleteRuns(core, tx, wanted, deleteBatch));
        deleted += some;
        if (some < deleteBatch) break;
      }
      return { deleted: String(deleted) };
    },
  ),
  RedactEvent: method(z.strictObject({ eventId: IdText }), async ({ core, environment }, { eventId }) => {
    await core.writer.write((tx) => redactEvent(core, tx, environment.id, eventId));
    return {};
  }),
  RedactRun: method(byRunId, async ({ core, environment }, { runId }) => {
    await core.writer.write((tx) => redactRun(core, tx, environment.id, runId));
    return {};
  }),
  RedactStep: method(z.strictObject({ stepId: IdText }), async ({ core, environment }, { stepId }) => {
    await core.writer.write((tx) => redactStep(core, tx, environment.id, stepId));
    return {};
  }),
};
