import * as z from "zod/v4";
import { ProjectionName } from "../../contract/projections.ts";
import { ApiError } from "../../errors.ts";
import { toJsonText } from "../../json/json-text.ts";
import { pollEvents } from "../../projections/poll.ts";
import { reportRebuild } from "../../projections/rebuild.ts";
import { acknowledge, saveState } from "../../projections/save.ts";
import { int64, plainText, TimeMs } from "../fields.ts";
import { projectionEvent } from "../projection-shapes.ts";
import { int64Text, twin } from "../protojson.ts";
import { method, type ConnectMethod } from "./method.ts";
import { partitionText } from "./projection-methods.ts";

/** Events given out at once: 100 unless asked for, and never more than this. */
const maxBatch = 1_000;
export const batchSize = z
  .number()
  .int()
  .min(0)
  .max(2_147_483_647)
  .default(0)
  .transform((size) => (size === 0 ? 100 : Math.min(size, maxBatch)));

const position = { lastEventId: plainText(512).default(""), lastEventSeq: int64(0).default(0) };

/** `ironflow.v1.ProjectionService`, section 2.6: the side of the workers that reduce. */
export const projectionWorkerMethods: Record<string, ConnectMethod> = {
  PollProjectionEvents: method(
    z.strictObject({ name: ProjectionName, batchSize, partition: partitionText.default("") }),
    async ({ core, environment }, input) => {
      const { track, events, state } = await pollEvents(core, {
        environmentId: environment.id,
        name: input.name,
        batchSize: input.batchSize,
        partition: input.partition === "" ? undefined : input.partition,
      });
      return {
        events: events.map(projectionEvent),
        ...(state === undefined ? {} : twin("currentState", state.state)),
        lastEventSeq: int64Text(track.job?.last_event_seq ?? track.projection.last_event_seq),
      };
    },
  ),
  SaveProjectionState: method(
    z.strictObject({
      name: ProjectionName,
      partitionKey: partitionText.default(""),
      state: z.unknown().optional(),
      stateValue: z.unknown().optional(),
      ...position,
      lastEventTime: TimeMs.optional(),
    }),
    async ({ core, environment }, input) => {
      const state = input.stateValue === undefined ? input.state : input.stateValue;
      if (state === undefined || (state === null && input.stateValue === undefined)) {
        throw new ApiError(
          "invalid_argument",
          "state: is required; a managed handler has to return its state",
        );
      }
      await core.writer.write((tx) =>
        saveState(core, tx, environment.id, {
          name: input.name,
          partition: input.partitionKey,
          state: toJsonText(state),
          position: { eventId: input.lastEventId, seq: input.lastEventSeq },
          timeMs: input.lastEventTime,
        }),
      );
      return { ok: true };
    },
    ["state", "stateValue"],
  ),
  AckProjectionEvents: method(
    z.strictObject({ name: ProjectionName, ...position }),
    async ({ core, environment }, input) => {
      await core.writer.write((tx) =>
        acknowledge(core, tx, environment.id, input.name, {
          eventId: input.lastEventId,
          seq: input.lastEventSeq,
        }),
      );
      return { ok: true };
    },
  ),
  ReportRebuildProgress: method(
    z.strictObject({
      name: ProjectionName,
      eventsProcessed: int64(0).default(0),
      totalEvents: int64(0).default(0),
      completed: z.boolean().default(false),
    }),
    async ({ core, environment }, { name, ...report }) => {
      await core.writer.write((tx) => reportRebuild(core, tx, environment.id, name, report));
      return {};
    },
  ),
};
