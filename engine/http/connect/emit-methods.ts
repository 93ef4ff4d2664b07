import * as z from "zod/v4";
import { EventName, FunctionId } from "../../contract/ids.ts";
import { jsonObject } from "../../contract/json-object.ts";
import { emitEvent, invokeFunction } from "../../execute/emit.ts";
import { toJsonText, type JsonText } from "../../json/json-text.ts";
import { IdempotencyKey } from "../fields.ts";
import { method, type ConnectMethod } from "./method.ts";

/** A protobuf Struct: any other JSON travels in the `dataValue` twin. */
const Struct = jsonObject("must be an object; send other JSON as data_value");

const payload = { data: Struct.optional(), dataValue: z.unknown().optional() };

const EmitRequest = z.strictObject({
  event: EventName,
  ...payload,
  idempotencyKey: IdempotencyKey.optional(),
  metadata: jsonObject().optional(),
  version: z.number().int().min(0).max(2_147_483_647).optional(),
  namespace: z.literal("").optional(),
});

const InvokeRequest = z.strictObject({
  functionId: FunctionId,
  ...payload,
  idempotencyKey: IdempotencyKey.optional(),
  metadata: jsonObject().optional(),
});

/** The twin wins; nothing at all is an empty object. */
function payloadOf(input: { data?: unknown; dataValue?: unknown }): JsonText {
  return toJsonText(input.dataValue === undefined ? (input.data ?? {}) : input.dataValue);
}

const emit = method(
  EmitRequest,
  ({ core, environment, runId }, input) =>
    core.writer.write((tx) => {
      const { eventId, runIds } = emitEvent(core, tx, {
        environmentId: environment.id,
        name: input.event,
        data: payloadOf(input),
        metadata: input.metadata === undefined ? undefined : toJsonText(input.metadata),
        idempotencyKey: input.idempotencyKey,
        version: Math.max(1, input.version ?? 1),
        source: "api",
        runId,
      });
      return { runIds, eventId };
    }),
  ["data", "dataValue", "metadata"],
);

const invoke = method(
  InvokeRequest,
  ({ core, environment }, input) =>
    core.writer.write((tx) => ({
      ...invokeFunction(core, tx, {
        environmentId: environment.id,
        functionId: input.functionId,
        data: payloadOf(input),
        idempotencyKey: input.idempotencyKey,
      }),
    })),
  ["data", "dataValue", "metadata"],
);

export const emitMethods: Record<string, ConnectMethod> = {
  Emit: emit,
  Trigger: emit,
  InvokeFunction: invoke,
};
