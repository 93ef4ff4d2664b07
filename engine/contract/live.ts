import * as z from "zod/v4";
import { AckFrame, SubscribeOptions, TopicPattern } from "./consumer-groups.ts";

/** WebSocket `/ws?env=&token=` frames, section 2.15. Patterns are NATS style: `*` one token, `>` the rest. */
export const ClientFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("subscribe"),
    subscription: z.object({ pattern: TopicPattern, options: SubscribeOptions.optional() }),
  }),
  z.object({ type: z.literal("unsubscribe"), subscriptionId: z.string() }),
  AckFrame,
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

export const ServerFrame = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("subscription_result"),
    results: z.array(
      z.looseObject({
        pattern: z.string(),
        status: z.enum(["ok", "error"]),
        subscriptionId: z.string().optional(),
        code: z.string().optional(),
        message: z.string().optional(),
      }),
    ),
  }),
  z.looseObject({
    type: z.literal("event"),
    subscriptionId: z.string(),
    topic: z.string(),
    data: z.unknown().optional(),
    eventId: z.string().optional(),
    meta: z.looseObject({ timestamp: z.string(), sequence: z.number().optional() }).optional(),
  }),
  z.looseObject({
    type: z.literal("subscription_error"),
    subscriptionId: z.string(),
    code: z.string().optional(),
    retrying: z.boolean().optional(),
    message: z.string().optional(),
  }),
  z.looseObject({ type: z.literal("error"), code: z.string().optional(), message: z.string().optional() }),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;
