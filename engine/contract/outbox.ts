import * as z from "zod/v4";

/** The outbox's dead-letter queue on the wire, section 2.11. */
export const RestOutboxItem = z.looseObject({
  id: z.string(),
  event_id: z.string(),
  environment_id: z.string().default(""),
  topic: z.string().default(""),
  kind: z.string().default(""),
  attempts: z.number().int().default(0),
  last_error: z.string().nullish(),
  created_at: z.string().optional(),
  dead_at: z.string().nullish(),
  entity_id: z.string().nullish(),
  metadata: z.unknown().optional(),
  payload: z.unknown().optional(),
});
export type RestOutboxItem = z.infer<typeof RestOutboxItem>;

export const ListOutboxResponse = z.looseObject({
  items: z.array(RestOutboxItem).nullish(),
  limit: z.number().int().optional(),
  offset: z.number().int().optional(),
  /** The embedded engine's own. */
  total_count: z.number().int().optional(),
});

/** Requeue and discard act on every row of the event. `rows` is the embedded engine's own. */
export const OutboxResult = z.looseObject({
  event_id: z.string(),
  result: z.string(),
  rows: z.number().int().optional(),
});
