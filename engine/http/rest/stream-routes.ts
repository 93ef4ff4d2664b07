import * as z from "zod/v4";
import { EventName } from "../../contract/ids.ts";
import { jsonObject } from "../../contract/json-object.ts";
import {
  EntityId,
  EntityType,
  RestAppended,
  RestHistory,
  RestSnapshot,
  RestStream,
  RestStreamEvents,
  RestStreamList,
  StreamDirection,
} from "../../contract/streams.ts";
import { ApiError } from "../../errors.ts";
import { toJsonText } from "../../json/json-text.ts";
import { ANY_VERSION, appendEvent } from "../../streams/append.ts";
import { MAX_PAGE_BYTES, readHistory } from "../../streams/history.ts";
import { createSnapshot } from "../../streams/snapshots.ts";
import { IdempotencyKey, plainText, queryInt, TimeMs } from "../fields.ts";
import { readRun, readStream } from "../reads.ts";
import {
  restHistoryEntry,
  restHistoryInfo,
  restSnapshot,
  restStream,
  restStreamEvent,
} from "../stream-shapes.ts";
import { route, type RestRoute } from "./route.ts";

const maxVersion = Number.MAX_SAFE_INTEGER;

const ReadQuery = z.strictObject({
  from_version: queryInt(0, maxVersion).default(0),
  limit: queryInt(1, 1000).optional(),
  direction: StreamDirection.default("forward"),
});

const AppendBody = z.strictObject({
  entity_type: EntityType,
  event_name: EventName,
  data: z.unknown().optional(),
  /** Without one every version passes: unlike protojson, REST can tell 0 from nothing. */
  expected_version: z.number().int().min(ANY_VERSION).max(maxVersion).nullish(),
  idempotency_key: IdempotencyKey.nullish(),
  version: z.number().int().min(1).max(2_147_483_647).nullish(),
  metadata: jsonObject().nullish(),
});

/** The era-A routes of entity streams, section 2.5, and the streams of a run. */
export const streamRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/streams",
    summary: "List entity streams",
    answer: RestStreamList,
    query: z.strictObject({
      entity_type: plainText(256).optional(),
      search: plainText(256).optional(),
      limit: queryInt(1, 1000).optional(),
      offset: queryInt(0, 100_000_000).optional(),
      include_deleted: z.enum(["true", "false"]).optional(),
    }),
    run: ({ core, environment }, { query }) => {
      const { streams, total } = core.store.streams.list(
        {
          environmentId: environment.id,
          entityType: query.entity_type || undefined,
          search: query.search || undefined,
          includeDeleted: query.include_deleted === "true",
        },
        { limit: query.limit ?? 100, offset: query.offset ?? 0 },
      );
      return { streams: streams.map(restStream), count: streams.length, total_count: total };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/streams/{entity}",
    summary: "Get an entity stream",
    answer: RestStream,
    run: (call, { params }) => restStream(readStream(call, params.entity ?? "")),
  }),
  route({
    method: "GET",
    path: "/api/v1/streams/{entity}/events",
    summary: "Read the events of a stream",
    answer: RestStreamEvents,
    query: ReadQuery,
    run: (call, { params, query }) => {
      const stream = readStream(call, params.entity ?? "");
      const range = {
        fromVersion: query.from_version,
        backward: query.direction === "backward",
        limit: query.limit ?? 100,
      };
      const events = call.core.store.streams.read(stream, range, MAX_PAGE_BYTES);
      return { events: events.map(restStreamEvent), total_count: stream.event_count };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/streams/{entity}/events",
    summary: "Append an event to a stream",
    answer: RestAppended,
    body: AppendBody,
    run: async ({ core, environment, runId, idempotencyKey }, { params, body }) => {
      const answer = await core.writer.write((tx) =>
        appendEvent(core, tx, {
          environmentId: environment.id,
          entityId: entityOf(params),
          entityType: body.entity_type,
          name: body.event_name,
          data: toJsonText(body.data === undefined ? {} : body.data),
          metadata: body.metadata == null ? undefined : toJsonText(body.metadata),
          expectedVersion: body.expected_version ?? ANY_VERSION,
          idempotencyKey: body.idempotency_key ?? idempotencyKey,
          version: body.version ?? 1,
          runId,
        }),
      );
      return { entity_version: answer.entityVersion, event_id: answer.eventId, sequence: 0 };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/streams/{entity}/history",
    summary: "Events of a stream with the runs each one caused",
    answer: RestHistory,
    query: ReadQuery.extend({ from_timestamp: TimeMs.optional(), to_timestamp: TimeMs.optional() }),
    run: (call, { params, query }) => {
      const stream = readStream(call, params.entity ?? "");
      const { entries, nextCursor } = readHistory(call.core.store, stream, {
        fromVersion: query.from_version,
        backward: query.direction === "backward",
        limit: query.limit ?? 50,
        sinceMs: query.from_timestamp,
        untilMs: query.to_timestamp,
      });
      return {
        entries: entries.map(restHistoryEntry),
        next_cursor: nextCursor,
        total_events: stream.event_count,
        info: restHistoryInfo(stream),
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/streams/{entity}/snapshots",
    summary: "Get a snapshot",
    answer: RestSnapshot,
    query: z.strictObject({ before_version: queryInt(0, maxVersion).default(0) }),
    run: ({ core, environment }, { params, query }) => {
      const version = query.before_version === 0 ? maxVersion : query.before_version;
      const row = core.store.snapshots.latest(environment.id, params.entity ?? "", version);
      if (row === undefined) throw new ApiError("not_found", "snapshot not found");
      return restSnapshot(row);
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/streams/{entity}/snapshots",
    summary: "Store a snapshot",
    answer: z.looseObject({ snapshot_id: z.string() }),
    body: z.strictObject({
      entity_type: plainText(256).nullish(),
      entity_version: z.number().int().min(1).max(maxVersion),
      state: z.unknown().optional(),
    }),
    run: async ({ core, environment }, { params, body }) => {
      if (body.state === undefined) throw new ApiError("invalid_argument", "state: is required");
      const state = toJsonText(body.state);
      const id = await core.writer.write((tx) =>
        createSnapshot(core, tx, {
          environmentId: environment.id,
          entityId: entityOf(params),
          entityType: body.entity_type ?? "",
          entityVersion: body.entity_version,
          state,
        }),
      );
      return { snapshot_id: id };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/runs/{id}/streams",
    summary: "List the streams a run appended to",
    answer: z.object({ entity_ids: z.array(z.string()) }),
    run: (call, { params }) => ({
      entity_ids: call.core.store.streams.entitiesOfRun(readRun(call, params.id ?? "")),
    }),
  }),
];

/** @throws ApiError that names the path's segment */
function entityOf(params: Record<string, string>): string {
  const parsed = EntityId.safeParse(params.entity);
  if (parsed.success) return parsed.data;
  throw new ApiError("invalid_argument", `entity id: ${parsed.error.issues[0]?.message ?? "is not one"}`);
}
