import * as z from "zod/v4";

/** Entity streams on the wire, section 2.5. */

/** An entity's id and type: text chosen by the user. */
export const EntityId = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, "must have no control character");
export const EntityType = EntityId;

export const StreamDirection = z.enum(["forward", "backward"]);

const time = z.string();
const count = z.number().int();

export const RestStream = z.looseObject({
  entity_id: z.string(),
  entity_type: z.string(),
  version: count,
  event_count: count,
  created_at: time,
  updated_at: time,
  deleted: z.boolean(),
});

export const RestStreamList = z.looseObject({
  streams: z.array(RestStream),
  count,
  total_count: count,
});

export const RestStreamEvents = z.looseObject({
  events: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      data: z.unknown(),
      entity_id: z.string(),
      entity_type: z.string(),
      entity_version: count,
      version: count,
      timestamp: time,
      source: z.string(),
    }),
  ),
  total_count: count,
});

/** `sequence` is always 0. */
export const RestAppended = z.looseObject({ entity_version: count, event_id: z.string(), sequence: count });

/** `next_cursor` is the version that the next page begins with; 0 at the end. */
export const RestHistory = z.looseObject({
  entries: z.array(
    z.looseObject({
      event_id: z.string(),
      event_name: z.string(),
      event_data: z.unknown(),
      entity_version: count,
      schema_version: count,
      source: z.string(),
      timestamp: time,
      runs: z.array(
        z.looseObject({
          run_id: z.string(),
          function_id: z.string(),
          status: z.string(),
          steps: z.array(
            z.looseObject({
              step_id: z.string(),
              name: z.string(),
              step_type: z.string(),
              status: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
  next_cursor: count,
  total_events: count,
});

export const RestSnapshot = z.looseObject({
  snapshot_id: z.string(),
  entity_id: z.string(),
  entity_type: z.string(),
  entity_version: count,
  state: z.unknown(),
  created_at: time,
});
