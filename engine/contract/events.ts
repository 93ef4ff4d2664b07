import * as z from "zod/v4";

/** Events on the wire, section 2.4. */
export const RestEvent = z.looseObject({
  id: z.string(),
  name: z.string(),
  timestamp: z.string(),
  data: z.unknown().optional(),
  source: z.string().default(""),
  processed: z.boolean().default(false),
  created_at: z.string().optional(),
  metadata: z.unknown().optional(),
  idempotency_key: z.string().optional(),
  entity_id: z.string().optional(),
  entity_type: z.string().optional(),
  entity_version: z.number().int().optional(),
  run_id: z.string().optional(),
});
export type RestEvent = z.infer<typeof RestEvent>;

/** `GET /api/v1/events`: newest first; `cursor` walks to older events, `before` to newer ones (section 1.5). */
export const ListEventsResponse = z.looseObject({
  events: z.array(RestEvent).default([]),
  count: z.number().int().default(0),
  limit: z.number().int().optional(),
  has_next: z.boolean().default(false),
  has_prev: z.boolean().default(false),
  next_cursor: z.string().nullish(),
  prev_cursor: z.string().nullish(),
  approx_total: z.number().int().nullish(),
  approx_total_capped: z.boolean().nullish(),
});
export type ListEventsResponse = z.infer<typeof ListEventsResponse>;

/** Connect `Trigger` and `Emit`. */
export const EmitResponse = z.looseObject({ runIds: z.array(z.string()).default([]), eventId: z.string() });
