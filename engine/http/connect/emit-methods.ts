import * as z from "zod/v4";
import { Namespace } from "../../contract/consumer-groups.ts";
import { EventName, FunctionId } from "../../contract/ids.ts";
import { jsonObject } from "../../contract/json-object.ts";
import { ApiError } from "../../errors.ts";
import { cancelRun } from "../../execute/commands.ts";
import { emitAndRoute, emitEvent, invokeFunction, storeAndRoute, type Emit } from "../../execute/emit.ts";
import { createFanOut } from "../../execute/fan-out.ts";
import { isStillOpen, waitForRuns } from "../../execute/run-end.ts";
import { toJsonText, type JsonText } from "../../json/json-text.ts";
import type { Tx } from "../../store/writer.ts";
import type { Call } from "../call.ts";
import { IdempotencyKey } from "../fields.ts";
import { runResult } from "../shapes.ts";
import { method, type ConnectMethod } from "./method.ts";

/** A protobuf Struct: any other JSON travels in the `dataValue` twin. */
export const Struct = jsonObject("must be an object; send other JSON as data_value");

const payload = { data: Struct.optional(), dataValue: z.unknown().optional() };

const EmitRequest = z.strictObject({
  event: EventName,
  ...payload,
  idempotencyKey: IdempotencyKey.optional(),
  metadata: jsonObject().optional(),
  version: z.number().int().min(0).max(2_147_483_647).optional(),
  namespace: Namespace,
});

const InvokeRequest = z.strictObject({
  functionId: FunctionId,
  ...payload,
  idempotencyKey: IdempotencyKey.optional(),
  metadata: jsonObject().optional(),
});

/** The twin wins; nothing at all is an empty object. */
export function payloadOf(input: { data?: unknown; dataValue?: unknown }): JsonText {
  return toJsonText(input.dataValue === undefined ? (input.data ?? {}) : input.dataValue);
}

type EmitInput = z.output<typeof EmitRequest>;

const emitOf = ({ environment, runId }: Call, input: EmitInput): Emit => ({
  environmentId: environment.id,
  name: input.event,
  data: payloadOf(input),
  metadata: input.metadata === undefined ? undefined : toJsonText(input.metadata),
  idempotencyKey: input.idempotencyKey,
  version: Math.max(1, input.version ?? 1),
  source: "api",
  runId,
});

const opaque = ["data", "dataValue", "metadata"];

const emit = method(
  EmitRequest,
  async (call, input) => ({ ...(await emitAndRoute(call.core, emitOf(call, input))) }),
  opaque,
);

/** All events or none: one that is refused takes the others with it, and so do more runs than one batch may reach. */
const triggerBatch = method(
  z.strictObject({ events: z.array(EmitRequest).max(1_000).default([]) }),
  async (call, { events }) => ({
    results: await storeAndRoute(call.core, (tx) => {
      // One event reaches what it reaches; several may be sent one after the other.
      const fanOut = createFanOut(events.length > 1 ? "events" : undefined);
      return events.map((input) => emitEvent(call.core, tx, emitOf(call, input), fanOut));
    }),
  }),
  opaque,
);

const timeoutMs = z
  .number()
  .int()
  .min(0)
  .max(600_000)
  .optional()
  .transform((ms) => (ms === undefined || ms === 0 ? 30_000 : ms));

const triggerSync = method(
  EmitRequest.extend({ timeoutMs }),
  async (call, { timeoutMs: waitMs, ...input }) => {
    const { runIds, eventId } = await emitAndRoute(call.core, emitOf(call, input));
    const runs = await waitForRuns(call.core, runIds, waitMs, call.gone);
    return { results: runs.map(runResult), eventId };
  },
  opaque,
);

function invokeOne({ core, environment }: Call, tx: Tx, input: z.output<typeof InvokeRequest>) {
  return invokeFunction(core, tx, {
    environmentId: environment.id,
    functionId: input.functionId,
    data: payloadOf(input),
    metadata: input.metadata === undefined ? undefined : toJsonText(input.metadata),
    idempotencyKey: input.idempotencyKey,
  });
}

const invoke = method(
  InvokeRequest,
  (call, input) => call.core.writer.write((tx) => ({ ...invokeOne(call, tx, input) })),
  opaque,
);

/** A caller that goes away before the answer cancels the run (section 2.3). */
const invokeSync = method(
  InvokeRequest.extend({ timeoutMs }),
  async (call, { timeoutMs: waitMs, ...input }) => {
    const { core, environment, gone } = call;
    const { runId } = await core.writer.write((tx) => invokeOne(call, tx, input));
    const [run] = await waitForRuns(core, [runId], waitMs, gone);
    if (run === undefined) throw new ApiError("not_found", `run ${runId} was deleted meanwhile`);
    if (gone.aborted && isStillOpen(run)) {
      await core.writer.write((tx) => {
        const now = core.store.runs.get(runId);
        if (now !== undefined && isStillOpen(now)) {
          cancelRun(core, tx, environment.id, runId, "the caller went away");
        }
      });
    }
    return { result: runResult(run) };
  },
  opaque,
);

export const emitMethods: Record<string, ConnectMethod> = {
  Emit: emit,
  Trigger: emit,
  TriggerSync: triggerSync,
  TriggerBatch: triggerBatch,
  InvokeFunction: invoke,
  InvokeFunctionSync: invokeSync,
};

export const pubsubMethods: Record<string, ConnectMethod> = { Emit: emit };
