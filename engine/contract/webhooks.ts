import * as z from "zod/v4";
import { EventName } from "./ids.ts";

/** Webhooks in, section 2.14. */

export const WEBHOOK_LIMITS = {
  sourcesPerEnvironment: 100,
  /** How long a secret that was rotated away is still accepted, unless the caller says otherwise. */
  defaultGraceSeconds: 24 * 3600,
  maxGraceSeconds: 7 * 24 * 3600,
  /** Refused and repeated deliveries that are kept of one source. */
  keptRefusals: 500,
} as const;

export const WebhookProvider = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "must be lower-case letters, digits, _ and -, at most 64");

/** A key as the provider shows it. The same limits as those of header values keep it usable everywhere. */
export const WebhookSecret = z.string().regex(/^[\x21-\x7e]{8,512}$/, "must be 8 to 512 visible characters");

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header")
  .transform((name) => name.toLowerCase());

/** How a delivery is signed. `stripe`: `t=…,v1=…` in one header, over the time, a point and the body. */
export const VerifyConfig = z.strictObject({
  scheme: z.enum(["hmac", "stripe"]).default("hmac"),
  header: HeaderName,
  algorithm: z.enum(["sha256", "sha1", "sha512"]).default("sha256"),
  encoding: z.enum(["hex", "base64"]).default("hex"),
  /** What stands before the signature in its header, as in `sha256=`. */
  prefix: z
    .string()
    .regex(/^[\x21-\x7e]{0,32}$/, "must be at most 32 visible characters")
    .default(""),
  /** The header that holds the time in seconds, when the signature covers the time, a point and the body. */
  timestampHeader: HeaderName.optional(),
  /** How old or early a signed time may be. */
  toleranceSeconds: z.number().int().min(1).max(3600).default(300),
});
export type VerifyConfig = z.infer<typeof VerifyConfig>;

/** What a provider's signatures look like, unless the source says otherwise. */
export function defaultVerifyConfig(provider: string): VerifyConfig {
  if (provider === "stripe") return VerifyConfig.parse({ scheme: "stripe", header: "stripe-signature" });
  const header = provider === "github" ? "x-hub-signature-256" : "x-webhook-signature";
  return VerifyConfig.parse({ header, prefix: "sha256=" });
}

const Id = z.string().min(1).max(128);
const Name = z
  .string()
  .min(1)
  .max(128)
  .regex(/^\P{Cc}*$/u, "must have no control character");

export const CreateSourceRequest = z.strictObject({
  name: Name.optional(),
  provider: WebhookProvider,
  eventPrefix: EventName.optional(),
  secret: WebhookSecret.optional(),
  verifyConfig: VerifyConfig.optional(),
});

export const UpdateSourceRequest = z.strictObject({
  id: Id,
  name: Name.optional(),
  eventPrefix: EventName.optional(),
  verifyConfig: VerifyConfig.optional(),
});

export const SourceRequest = z.strictObject({ id: Id });

export const RotateSecretRequest = z.strictObject({
  id: Id,
  secret: WebhookSecret.optional(),
  gracePeriodSeconds: z.number().int().min(0).max(WEBHOOK_LIMITS.maxGraceSeconds).optional(),
});

export const TestVerifyRequest = z.strictObject({
  id: Id,
  verifyConfig: VerifyConfig.optional(),
  secret: WebhookSecret.optional(),
  headers: z.record(z.string().max(128), z.string().max(8192)),
  body: z.string().max(1_048_576),
});

export const DELIVERY_OUTCOMES = ["accepted", "duplicate", "rejected"] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export const ListDeliveriesRequest = z.strictObject({
  sourceId: Id.optional(),
  outcome: z.enum(DELIVERY_OUTCOMES).optional(),
  eventName: EventName.optional(),
  limit: z.number().int().min(0).max(500).optional(),
  cursor: z
    .string()
    .regex(/^\d{0,15}$/, "not a cursor of this list")
    .optional(),
});

export const WebhookAnswer = z.object({
  delivery_id: z.string(),
  event_id: z.string(),
  duplicate: z.boolean(),
});

export const WebhookEdges = z.object({
  sources: z.array(
    z.object({ id: z.string(), name: z.string(), provider: z.string(), event_prefix: z.string() }),
  ),
  edges: z.array(z.object({ source_id: z.string(), event: z.string() })),
});
