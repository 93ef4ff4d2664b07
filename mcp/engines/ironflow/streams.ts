import * as z from "zod/v4";
import type { StreamEvent, StreamRecord } from "../../contract/tools/streams.ts";
import { readAnswer } from "../../upstream/answer.ts";
import type { Engine } from "../engine.ts";
import { wireCount, wireInteger } from "./int64.ts";
import { drop, restRow, text, time, twin } from "./normalise.ts";
import { structOrValue } from "./payload.ts";
import { answerTo, query, type Wire } from "./wire.ts";

type StreamCalls = Pick<Engine, "listStreams" | "getStream" | "readStream" | "appendEvent" | "deleteStream">;

/** Entity streams on the wire (contract, section 2.5). */
const WireStream = z.looseObject({
  entityId: z.string(),
  entityType: z.string().optional(),
  version: wireCount,
  eventCount: wireInteger.optional(),
  deleted: z.boolean().optional(),
  createdAt: z.string().nullish(),
  updatedAt: z.string().nullish(),
});
const WireEvent = z.looseObject({
  id: z.string(),
  name: z.string(),
  data: z.unknown().optional(),
  dataValue: z.unknown().optional(),
  entityVersion: wireCount,
  version: z.number().int().optional(),
  timestamp: z.string().default(""),
  source: z.string().optional(),
  metadata: z.unknown().optional(),
  idempotencyKey: z.string().nullish(),
  runId: z.string().nullish(),
});

const rows = <Row extends z.ZodType>(row: Row) =>
  z
    .array(z.preprocess(restRow, row))
    .nullish()
    .transform((list) => list ?? []);
const StreamsAnswer = z.preprocess(
  restRow,
  z.looseObject({ streams: rows(WireStream), totalCount: z.number().int().optional() }),
);
const EventsAnswer = z.preprocess(restRow, z.looseObject({ events: rows(WireEvent), totalCount: wireCount }));
const StreamAnswer = z.preprocess(restRow, WireStream);
const AppendAnswer = z.preprocess(restRow, z.looseObject({ entityVersion: wireCount, eventId: z.string() }));
const DeleteAnswer = z.preprocess(restRow, z.looseObject({ entityVersion: wireCount }));

export function streamCalls(wire: Wire): StreamCalls {
  const send = async <Schema extends z.ZodType>(
    operation: Parameters<typeof wire.surfaces.send>[0],
    schema: Schema,
    call: Parameters<typeof wire.surfaces.send>[1],
  ): Promise<z.output<Schema>> => {
    const { text: answer } = await wire.surfaces.send(operation, call);
    return readAnswer(schema, answer, answerTo(operation.connect));
  };

  return {
    listStreams: async ({ limit, offset, entity_type, search }, call) => {
      const page = await send(
        {
          connect: "EntityStreamService/ListStreams",
          message: { entityType: entity_type, limit, offset, search },
          effect: "read",
          rest: {
            method: "GET",
            path: `/api/v1/streams${query({ entity_type, limit, offset, search })}`,
          },
          // An engine of the older era skips the search of the Connect message without a word.
          restFirst: search !== undefined,
        },
        StreamsAnswer,
        call,
      );
      const streams = page.streams.map(toStream);
      return { streams, count: streams.length, total_count: page.totalCount ?? streams.length };
    },

    getStream: async (entityId, call) =>
      toStream(
        await send(
          {
            connect: "EntityStreamService/GetStreamInfo",
            message: { entityId },
            effect: "read",
            rest: { method: "GET", path: streamPath(entityId), namesRecord: true },
          },
          StreamAnswer,
          call,
        ),
      ),

    readStream: async ({ entity_id, from_version, limit, direction }, call) => {
      const page = await send(
        {
          connect: "EntityStreamService/ReadStream",
          message: { entityId: entity_id, fromVersion: from_version, limit, direction },
          effect: "read",
          rest: {
            method: "GET",
            path: `${streamPath(entity_id)}/events${query({ from_version, limit, direction })}`,
            namesRecord: true,
          },
        },
        EventsAnswer,
        call,
      );
      const events = page.events.map(toStreamEvent);
      return { entity_id, events, count: events.length, total_count: Number(page.totalCount) };
    },

    appendEvent: async (event, call) => {
      const { entityId, entityType, data, metadata, version, idempotencyKey } = event;
      // A message that leaves the field out says 0, "must be new": "do not check" has to be said.
      const expectedVersion = event.expectedVersion ?? -1;
      const answer = await send(
        {
          connect: "EntityStreamService/AppendEvent",
          message: {
            entityId,
            entityType,
            eventName: event.event,
            ...structOrValue(data),
            expectedVersion,
            idempotencyKey,
            version,
            metadata,
          },
          effect: idempotencyKey === undefined ? "once" : "repeatable",
          rest: {
            method: "POST",
            path: `${streamPath(entityId)}/events`,
            body: {
              entity_type: entityType,
              event_name: event.event,
              data,
              expected_version: expectedVersion,
              idempotency_key: idempotencyKey,
              version,
              metadata,
            },
          },
        },
        AppendAnswer,
        call,
      );
      return { event_id: answer.eventId, entity_version: answer.entityVersion };
    },

    deleteStream: async ({ entityId, purge }, call) => {
      const answer = await send(
        {
          connect: "EntityStreamService/DeleteStream",
          message: { entityId, purge },
          effect: "repeatable",
        },
        DeleteAnswer,
        call,
      );
      return { entity_id: entityId, deleted: true, purged: purge, entity_version: answer.entityVersion };
    },
  };
}

const streamPath = (entityId: string): string => `/api/v1/streams/${encodeURIComponent(entityId)}`;

function toStream(wire: z.output<typeof WireStream>): StreamRecord {
  return drop({
    entity_id: wire.entityId,
    entity_type: text(wire.entityType),
    version: wire.version,
    event_count: wire.eventCount,
    deleted: wire.deleted,
    created_at: time(wire.createdAt),
    updated_at: time(wire.updatedAt),
  });
}

function toStreamEvent(wire: z.output<typeof WireEvent>): StreamEvent {
  return drop({
    id: wire.id,
    name: wire.name,
    entity_version: wire.entityVersion,
    timestamp: wire.timestamp,
    data: twin(wire.dataValue, wire.data) ?? null,
    metadata: wire.metadata ?? undefined,
    source: text(wire.source),
    schema_version: wire.version,
    idempotency_key: text(wire.idempotencyKey ?? undefined),
    run_id: text(wire.runId ?? undefined),
  });
}
