import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { toWireEnum } from "../../contract/enums.ts";
import { runStateAt, runTimeline, stepStateOf, type StepState } from "../../execute/time-travel.ts";
import { toBytes } from "../bytes.ts";
import { IdText, TimeMs } from "../fields.ts";
import { readRun } from "../reads.ts";
import { method, type ConnectMethod } from "./method.ts";

const time = (ms: number | null) => (ms === null ? undefined : toTimestamp(ms));
const bytes = (text: string | null) => (text === null ? undefined : toBytes(text));

const stepShape = ({ step, status, output, endedAt }: StepState) => ({
  id: step.id,
  name: step.name,
  stepType: toWireEnum("stepType", step.type),
  sequence: step.sequence,
  status: toWireEnum("step", status),
  output: bytes(output),
  startedAt: time(step.started_at),
  endedAt: time(endedAt),
});

/** `ironflow.v1.TimeTravelService`, section 2.14. */
export const timeTravelMethods: Record<string, ConnectMethod> = {
  GetRunStateAt: method(z.strictObject({ runId: IdText, timestamp: TimeMs }), (call, input) => {
    const state = runStateAt(call.core, readRun(call, input.runId), input.timestamp);
    return {
      snapshot: {
        runId: state.run.id,
        functionId: state.run.function_id,
        status: toWireEnum("run", state.status),
        input: toBytes(state.run.input),
        output: bytes(state.output),
        error: bytes(state.error),
        steps: state.steps.map(stepShape),
        timestamp: toTimestamp(input.timestamp),
        createdAt: toTimestamp(state.run.created_at),
      },
    };
  }),
  GetRunTimeline: method(z.strictObject({ runId: IdText }), (call, { runId }) => ({
    events: runTimeline(call.core, readRun(call, runId)).map(({ row, stepName, summary, significant }) => ({
      id: row.id,
      eventType: row.event_type,
      stepId: row.step_id,
      stepName,
      summary,
      significant,
      timestamp: toTimestamp(row.created_at),
    })),
  })),
  GetStepOutputAt: method(
    z.strictObject({ runId: IdText, stepId: IdText, timestamp: TimeMs }),
    (call, input) => {
      const state = stepStateOf(call.core, readRun(call, input.runId), input.stepId, input.timestamp);
      return { ...stepShape(state), stepId: state.step.id, timestamp: toTimestamp(input.timestamp) };
    },
  ),
};
