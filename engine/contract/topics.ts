import * as z from "zod/v4";
import { EventName } from "./ids.ts";

/** Section 2.14. A topic is named like an event. */
export const TopicName = EventName;

export const PublishResponse = z.looseObject({
  eventId: z.string(),
  sequence: z.union([z.string(), z.number()]).default("0"),
});

/** `GET /api/v1/flow/…-edges`. */
export const EmitEdges = z.object({
  edges: z.array(z.object({ event: z.string(), function_id: z.string() })),
});
export const InvokeEdges = z.object({
  edges: z.array(z.object({ parent_function_id: z.string(), child_function_id: z.string() })),
});
export const StreamEdges = z.object({
  edges: z.array(z.object({ entity_type: z.string(), event: z.string() })),
});
export const TopicEdges = z.object({
  edges: z.array(z.object({ function_id: z.string(), topic: z.string() })),
});
export const WaitEdges = z.object({
  edges: z.array(z.object({ event_name: z.string(), function_id: z.string() })),
});
