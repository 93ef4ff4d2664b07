import * as z from "zod/v4";

/** Entity streams on the wire, section 2.5. int64 values come as texts on Connect. */

/** An entity's id and type: text chosen by the user. */
export const EntityId = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, "must have no control character");
export const EntityType = EntityId;

export const StreamDirection = z.enum(["forward", "backward"]);

const int64 = z.union([z.string(), z.number()]).default("0");
const text = z.string().default("");

/** `AppendEvent`: the stream's new version. */
export const AppendEventResponse = z.looseObject({
  entityVersion: int64,
  eventId: z.string(),
  sequence: int64,
});

export const StreamEvent = z.looseObject({
  id: z.string(),
  name: z.string(),
  data: z.unknown().optional(),
  dataValue: z.unknown().optional(),
  entityVersion: int64,
  version: z.number().int().default(0),
  timestamp: z.string().optional(),
  source: text,
  metadata: z.unknown().optional(),
});
export type StreamEvent = z.infer<typeof StreamEvent>;

export const ReadStreamResponse = z.looseObject({
  events: z.array(StreamEvent).default([]),
  totalCount: z.number().int().default(0),
});

export const StreamInfo = z.looseObject({
  entityId: z.string(),
  entityType: text,
  version: int64,
  eventCount: int64,
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  deleted: z.boolean().default(false),
});
export type StreamInfo = z.infer<typeof StreamInfo>;

export const ListStreamsResponse = z.looseObject({
  streams: z.array(StreamInfo).default([]),
  totalCount: z.number().int().default(0),
});

export const EntityHistoryRun = z.looseObject({
  runId: z.string(),
  functionId: text,
  status: text,
  durationMs: z.number().default(0),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
  steps: z
    .array(
      z.looseObject({
        stepId: z.string(),
        name: text,
        stepType: text,
        status: text,
        durationMs: z.number().default(0),
        errorMessage: text,
      }),
    )
    .default([]),
});

export const EntityHistoryResponse = z.looseObject({
  entries: z
    .array(
      z.looseObject({
        eventId: z.string(),
        eventName: text,
        eventData: z.unknown().optional(),
        eventDataValue: z.unknown().optional(),
        entityVersion: int64,
        schemaVersion: z.number().int().default(0),
        source: text,
        timestamp: z.string().optional(),
        runs: z.array(EntityHistoryRun).default([]),
      }),
    )
    .default([]),
  /** The version that the next page begins with; 0 at the end. */
  nextCursor: int64,
  totalEvents: int64,
});

export const DeleteStreamResponse = z.looseObject({ entityVersion: int64 });
