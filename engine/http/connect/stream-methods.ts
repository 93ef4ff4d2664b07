import * as z from "zod/v4";
import { EventName } from "../../contract/ids.ts";
import { jsonObject } from "../../contract/json-object.ts";
import { EntityId, EntityType, StreamDirection } from "../../contract/streams.ts";
import { ApiError } from "../../errors.ts";
import { toJsonText } from "../../json/json-text.ts";
import { ANY_VERSION, appendEvent } from "../../streams/append.ts";
import { deleteStream, purgeStream } from "../../streams/delete.ts";
import { MAX_PAGE_BYTES, readHistory } from "../../streams/history.ts";
import { createSnapshot } from "../../streams/snapshots.ts";
import { IdempotencyKey, int64, plainText, TimeMs } from "../fields.ts";
import { listPage, readStream } from "../reads.ts";
import {
  connectHistoryEntry,
  connectHistoryInfo,
  connectSnapshot,
  connectStream,
  connectStreamEvent,
} from "../stream-shapes.ts";
import { payloadOf, Struct } from "./emit-methods.ts";
import { method, type ConnectMethod } from "./method.ts";

/** Protojson leaves a 0 out, so no expected version is version 0: the stream must be new. */
const AppendRequest = z.strictObject({
  entityId: EntityId,
  entityType: EntityType,
  eventName: EventName,
  data: Struct.optional(),
  dataValue: z.unknown().optional(),
  expectedVersion: int64(ANY_VERSION).default(0),
  idempotencyKey: IdempotencyKey.optional(),
  version: z.number().int().min(0).max(2_147_483_647).optional(),
  metadata: jsonObject().optional(),
});

const limit = z.number().int().min(0).max(1000).optional();
const direction = z
  .union([StreamDirection, z.literal("").transform((): "forward" => "forward")])
  .default("forward");

const ReadRequest = z.strictObject({
  entityId: EntityId,
  fromVersion: int64(0).default(0),
  limit,
  direction,
});

const HistoryRequest = ReadRequest.extend({
  fromTimestamp: TimeMs.optional(),
  toTimestamp: TimeMs.optional(),
});

const ListRequest = z.strictObject({
  entityType: plainText(256).optional(),
  limit,
  offset: z.number().int().min(0).max(100_000_000).optional(),
  search: plainText(256).optional(),
  includeDeleted: z.boolean().optional(),
});

/** `ironflow.v1.EntityStreamService`, section 2.5. */
export const streamMethods: Record<string, ConnectMethod> = {
  AppendEvent: method(
    AppendRequest,
    async ({ core, environment, runId }, input) => {
      const answer = await core.writer.write((tx) =>
        appendEvent(core, tx, {
          environmentId: environment.id,
          entityId: input.entityId,
          entityType: input.entityType,
          name: input.eventName,
          data: payloadOf(input),
          metadata: input.metadata === undefined ? undefined : toJsonText(input.metadata),
          expectedVersion: input.expectedVersion,
          idempotencyKey: input.idempotencyKey,
          version: Math.max(1, input.version ?? 1),
          runId,
        }),
      );
      return { entityVersion: String(answer.entityVersion), eventId: answer.eventId };
    },
    ["data", "dataValue", "metadata"],
  ),
  ReadStream: method(ReadRequest, (call, input) => {
    const stream = readStream(call, input.entityId);
    const range = {
      fromVersion: input.fromVersion,
      backward: input.direction === "backward",
      limit: listPage(input, 100).limit,
    };
    const events = call.core.store.streams.read(stream, range, MAX_PAGE_BYTES);
    return { events: events.map(connectStreamEvent), totalCount: stream.event_count };
  }),
  GetStreamInfo: method(z.strictObject({ entityId: EntityId }), (call, { entityId }) =>
    connectStream(readStream(call, entityId)),
  ),
  ListStreams: method(ListRequest, ({ core, environment }, input) => {
    const { streams, total } = core.store.streams.list(
      {
        environmentId: environment.id,
        entityType: input.entityType || undefined,
        search: input.search || undefined,
        includeDeleted: input.includeDeleted ?? false,
      },
      { limit: listPage(input, 100).limit, offset: input.offset ?? 0 },
    );
    return { streams: streams.map(connectStream), totalCount: total };
  }),
  GetEntityHistory: method(HistoryRequest, (call, input) => {
    const stream = readStream(call, input.entityId);
    const { entries, nextCursor } = readHistory(call.core.store, stream, {
      fromVersion: input.fromVersion,
      backward: input.direction === "backward",
      limit: listPage(input, 50).limit,
      sinceMs: input.fromTimestamp,
      untilMs: input.toTimestamp,
    });
    return {
      entries: entries.map(connectHistoryEntry),
      nextCursor: nextCursor === 0 ? undefined : String(nextCursor),
      totalEvents: String(stream.event_count),
      info: connectHistoryInfo(stream),
    };
  }),
  CreateSnapshot: method(
    z.strictObject({
      entityId: EntityId,
      entityType: plainText(256).default(""),
      entityVersion: int64(1),
      state: Struct.optional(),
      stateValue: z.unknown().optional(),
    }),
    async ({ core, environment }, input) => {
      const state = input.stateValue === undefined ? input.state : input.stateValue;
      if (state === undefined) throw new ApiError("invalid_argument", "state: is required");
      const snapshotId = await core.writer.write((tx) =>
        createSnapshot(core, tx, {
          environmentId: environment.id,
          entityId: input.entityId,
          entityType: input.entityType,
          entityVersion: input.entityVersion,
          state: toJsonText(state),
        }),
      );
      return { snapshotId };
    },
    ["state", "stateValue"],
  ),
  GetSnapshot: method(
    z.strictObject({ entityId: EntityId, beforeVersion: int64(0).default(0) }),
    ({ core, environment }, { entityId, beforeVersion }) => {
      const version = beforeVersion === 0 ? Number.MAX_SAFE_INTEGER : beforeVersion;
      const row = core.store.snapshots.latest(environment.id, entityId, version);
      if (row === undefined) throw new ApiError("not_found", "snapshot not found");
      return connectSnapshot(row);
    },
  ),
  DeleteStream: method(
    z.strictObject({ entityId: EntityId, purge: z.boolean().default(false) }),
    async ({ core, environment }, { entityId, purge }) => {
      const version = await core.writer.write((tx) =>
        deleteStream(core, tx, environment.id, entityId, purge),
      );
      if (purge) await purgeStream(core, environment.id, entityId);
      return { entityVersion: String(version) };
    },
  ),
};
