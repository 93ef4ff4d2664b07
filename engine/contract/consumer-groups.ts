import * as z from "zod/v4";
import { jsonObject } from "./json-object.ts";

/** Consumer groups and how subscriptions are asked for, sections 2.14 and 2.15. */

export const GROUP_LIMITS = {
  perEnvironment: 100,
  /** Deliveries that may wait in one group, those under way included. */
  waitingDeliveries: 10_000,
  maxInflight: 10_000,
  maxRedeliveries: 1_000,
  maxRedeliverDelayMs: 24 * 3_600_000,
} as const;

/** What a group has where its maker says nothing. */
export const GROUP_DEFAULTS = { maxInflight: 100, maxRedeliveries: 3, redeliverDelayMs: 5_000 } as const;

/** Messages that a subscription may ask for of those that were there before it. */
export const MAX_REPLAY = 1_000;

/**
 * An enum as it comes: `ACK_MODE_MANUAL` (protojson), `manual` (WebSocket) and `MANUAL` are the same; the unspecified one
 * and an empty text are none.
 */
function wireEnum<const Name extends string>(prefix: string, names: readonly Name[]) {
  const plain = (value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const upper = value.toUpperCase();
    const name = (upper.startsWith(prefix) ? upper.slice(prefix.length) : upper).toLowerCase();
    return name === "" || name === "unspecified" ? undefined : name;
  };
  return z.preprocess(plain, z.enum(names).optional());
}

export const AckMode = wireEnum("ACK_MODE_", ["auto", "manual"]);
export const BackpressureMode = wireEnum("BACKPRESSURE_MODE_", ["drop", "block", "buffer"]);
export const GroupStatus = wireEnum("CONSUMER_GROUP_STATUS_", ["active", "paused", "deleted"]);
export const AckType = wireEnum("ACK_TYPE_", ["ack", "nak", "term"]);
export type AckType = NonNullable<z.output<typeof AckType>>;

/** There is one namespace. */
export const Namespace = z.enum(["", "default"], "there is no other namespace than default").optional();

const plainText = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .regex(/^\P{Cc}*$/u, "must have no control character");

export const TopicPattern = plainText(512).min(1);

/**
 * What a group takes: messages of topics or events. Everything else that is told (`system.…`, `entity:…`) is not kept, so
 * nobody could get it a second time.
 */
export const GroupPattern = TopicPattern.regex(
  /^(topic|events):[^\s]+$/,
  "must be topic:… or events:…, which are kept",
);

export const GroupName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, "must be 1 to 128 letters, digits, dots, _ and -");

const settings = {
  filterExpr: plainText(1_024).optional(),
  ackMode: AckMode,
  backpressure: BackpressureMode,
  maxInflight: z.number().int().min(0).max(GROUP_LIMITS.maxInflight).optional(),
  maxRedeliveries: z.number().int().min(0).max(GROUP_LIMITS.maxRedeliveries).optional(),
  redeliverDelayMs: z.number().int().min(0).max(GROUP_LIMITS.maxRedeliverDelayMs).optional(),
  metadata: jsonObject().optional(),
};

export const CreateGroupRequest = z.strictObject({
  namespace: Namespace,
  name: GroupName,
  pattern: GroupPattern,
  ...settings,
});
export type CreateGroupRequest = z.output<typeof CreateGroupRequest>;

export const GroupRequest = z.strictObject({ namespace: Namespace, name: GroupName });

export const ListGroupsRequest = z.strictObject({
  namespace: Namespace,
  status: GroupStatus,
  limit: z.number().int().min(0).max(500).optional(),
  cursor: z.union([z.literal(""), GroupName]).optional(),
});

/** Members of a group that can be changed; the rest of what an answer holds may come along and changes nothing. */
export const GROUP_FIELDS = [
  "pattern",
  "filterExpr",
  "ackMode",
  "backpressure",
  "maxInflight",
  "maxRedeliveries",
  "redeliverDelayMs",
  "metadata",
  "status",
] as const;
export type GroupField = (typeof GROUP_FIELDS)[number];

const toCamel = (path: string) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const UpdateGroupRequest = z.strictObject({
  group: z.object({
    namespace: Namespace,
    name: GroupName,
    pattern: GroupPattern.optional(),
    ...settings,
    status: GroupStatus,
  }),
  /** Protojson's field mask is one text; a list of paths is taken too. */
  updateMask: z
    .union([
      z.string().transform((text) => text.split(",").filter((path) => path !== "")),
      z.strictObject({ paths: z.array(z.string()) }).transform(({ paths }) => paths),
    ])
    .transform((paths) => paths.map((path) => toCamel(path.trim())))
    .pipe(z.array(z.enum(GROUP_FIELDS)))
    .optional(),
});
export type UpdateGroupRequest = z.output<typeof UpdateGroupRequest>;

export const JoinGroupRequest = z.strictObject({
  namespace: Namespace,
  groupName: GroupName,
  consumerId: plainText(128).optional(),
  clientId: plainText(128).optional(),
});

const RedeliverDelayMs = z.number().int().min(0).max(GROUP_LIMITS.maxRedeliverDelayMs);

/** `PubSubService/AckEvent`. `consumerId` is the `subscriptionId` of the delivery: no other one settles it. */
export const AckEventRequest = z.strictObject({
  namespace: Namespace,
  groupName: GroupName,
  consumerId: plainText(128).min(1),
  eventId: plainText(128).min(1),
  ackType: AckType.refine((type) => type !== undefined, "must be ack, nak or term"),
  redeliverDelayMs: RedeliverDelayMs.optional(),
});

/** The options of a subscription, of either transport. */
export const SubscribeOptions = z.strictObject({
  replay: z.number().int().min(0).max(MAX_REPLAY).optional(),
  includeMetadata: z.boolean().optional(),
  filter: plainText(1_024).optional(),
  namespace: Namespace,
  consumerGroup: z.union([z.literal(""), GroupName]).optional(),
  ackMode: AckMode,
  backpressure: BackpressureMode,
  /** Goes on after a message whose `sequence` this was. */
  startAfterSequence: z
    .union([
      z.number().int().min(0),
      z
        .string()
        .regex(/^\d{1,15}$/, "must be a number")
        .transform(Number),
    ])
    .optional(),
});
export type SubscribeOptions = z.output<typeof SubscribeOptions>;

/** The acknowledgement that a client of the WebSocket sends. Without `subscriptionId` every subscription of it is meant. */
export const AckFrame = z.object({
  type: z.literal("ack"),
  eventId: plainText(128).min(1),
  ackType: AckType,
  subscriptionId: plainText(128).optional(),
  redeliverDelay: RedeliverDelayMs.optional(),
});
