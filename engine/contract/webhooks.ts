import * as z from "zod/v4";
import { EventName, Timestamp } from "./ids.ts";
import { jsonObject } from "./json-object.ts";

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

const optionalHeader = z.union([z.literal(""), HeaderName]).default("");
const visible = (maxChars: number) => new RegExp(`^[\\x20-\\x7e]{0,${maxChars}}$`);
const separator = z.string().regex(visible(4), "must be at most 4 visible characters").default("");
const keyName = z.string().regex(visible(32), "must be at most 32 visible characters").default("");
/** `header:X-GitHub-Event`, `body:type`, `body:data.object.id`, or nothing. */
const ValuePath = z
  .string()
  .max(256)
  .regex(
    /^$|^header:[A-Za-z0-9-]{1,64}$|^body:[^.\s\p{Cc}]+(\.[^.\s\p{Cc}]+)*$/u,
    "must be header:NAME or body:PATH",
  )
  .default("");

/** What is signed: `{body}`, `{ts}` and `{id}` stand for the body, the time and the delivery's id. */
const SigningTemplate = z
  .string()
  .regex(visible(128), "must be at most 128 visible characters")
  .refine((text) => text.split("{body}").length === 2, "must hold {body} once")
  .refine((text) => !/\{(?!body\}|ts\}|id\})/.test(text), "knows {body}, {ts} and {id}");

/**
 * How deliveries are signed and where they say what they are. GitHub, Stripe, Shopify, Slack and Standard Webhooks are values
 * of these fields; none of them is known by name here.
 */
export const VerifyConfig = z
  .strictObject({
    signatureHeader: HeaderName,
    /** Splits a header with several entries: Stripe `,`, Standard Webhooks a space. */
    entrySeparator: separator,
    /** Splits an entry into key and value; "" when the entry is the signature. */
    kvDelimiter: separator,
    /** Which entries are signatures: all of them are tried. */
    signatureKey: keyName,
    /** A header of its own that holds the time, seconds since 1970. */
    timestampHeader: optionalHeader,
    /** Or the entry of the signature's header that does. */
    timestampKey: keyName,
    signingTemplate: z.preprocess(
      (text) => (text === "" ? undefined : text),
      SigningTemplate.default("{body}"),
    ),
    encoding: z.preprocess(
      (text) => (text === "" ? undefined : text),
      z.enum(["hex", "base64"]).default("hex"),
    ),
    algorithm: z.preprocess(
      (text) => (text === "" ? undefined : text),
      z.enum(["hmac-sha256", "hmac-sha1", "hmac-sha512"]).default("hmac-sha256"),
    ),
    /** How old or early a signed time may be; 0 for any. */
    toleranceSeconds: z.number().int().min(0).max(86_400).default(0),
    eventNamePath: ValuePath,
    dedupIdPath: ValuePath,
  })
  .refine((config) => config.kvDelimiter === "" || config.signatureKey !== "", {
    path: ["signatureKey"],
    message: "missing, and kv_delimiter asks for one",
  })
  .refine(
    (config) =>
      !config.signingTemplate.includes("{ts}") || config.timestampHeader !== "" || config.timestampKey !== "",
    {
      path: ["timestampHeader"],
      message: "missing, and so is timestamp_key, but signing_template holds {ts}",
    },
  )
  .refine((config) => config.toleranceSeconds === 0 || config.signingTemplate.includes("{ts}"), {
    path: ["toleranceSeconds"],
    message: "only with {ts} in signing_template: a time that is not signed proves nothing",
  });
export type VerifyConfig = z.output<typeof VerifyConfig>;

const timed = { toleranceSeconds: 300 };

/** Configurations of providers that many use, for a source that says no more than the provider's name and a secret. */
const PRESETS: Record<string, z.input<typeof VerifyConfig>> = {
  github: {
    signatureHeader: "X-Hub-Signature-256",
    kvDelimiter: "=",
    signatureKey: "sha256",
    eventNamePath: "header:X-GitHub-Event",
    dedupIdPath: "header:X-GitHub-Delivery",
  },
  stripe: {
    signatureHeader: "Stripe-Signature",
    entrySeparator: ",",
    kvDelimiter: "=",
    signatureKey: "v1",
    timestampKey: "t",
    signingTemplate: "{ts}.{body}",
    ...timed,
  },
  shopify: {
    signatureHeader: "X-Shopify-Hmac-Sha256",
    encoding: "base64",
    eventNamePath: "header:X-Shopify-Topic",
    dedupIdPath: "header:X-Shopify-Webhook-Id",
  },
  slack: {
    signatureHeader: "X-Slack-Signature",
    kvDelimiter: "=",
    signatureKey: "v0",
    timestampHeader: "X-Slack-Request-Timestamp",
    signingTemplate: "v0:{ts}:{body}",
    dedupIdPath: "body:event_id",
    ...timed,
  },
  svix: standardWebhooks("Svix"),
  "standard-webhooks": standardWebhooks("Webhook"),
};

function standardWebhooks(prefix: string): z.input<typeof VerifyConfig> {
  return {
    signatureHeader: `${prefix}-Signature`,
    entrySeparator: " ",
    kvDelimiter: ",",
    signatureKey: "v1",
    timestampHeader: `${prefix}-Timestamp`,
    signingTemplate: "{id}.{ts}.{body}",
    encoding: "base64",
    dedupIdPath: `header:${prefix}-Id`,
    ...timed,
  };
}

/** What a provider's signatures look like, unless the source says otherwise: `X-Webhook-Signature: sha256=<hex>`. */
export function defaultVerifyConfig(provider: string): VerifyConfig {
  return VerifyConfig.parse(
    PRESETS[provider] ?? { signatureHeader: "X-Webhook-Signature", kvDelimiter: "=", signatureKey: "sha256" },
  );
}

const Id = z.string().min(1).max(128);
const Name = z
  .string()
  .max(128)
  .regex(/^\P{Cc}*$/u, "must have no control character");
const SchemaVersion = z.number().int().min(0).max(2_147_483_647).optional();
/** The source's `updated_at` as the caller knows it: another one is `aborted`. */
const expectedUpdatedAt = { expectedUpdatedAt: Timestamp.optional() };
/** Hex over the bare body, as sources were described before there were configurations. */
const legacy = {
  verifyHeader: optionalHeader,
  verifyAlgorithm: z.enum(["", "hmac-sha256", "hmac-sha1", "hmac-sha512"]).optional(),
};
const OptionalSecret = z.union([z.literal(""), WebhookSecret]).optional();

export const CreateSourceRequest = z.strictObject({
  name: Name.optional(),
  /** Ours: a name for the source's path, beside its id. */
  provider: WebhookProvider.optional(),
  eventPrefix: z.union([z.literal(""), EventName]).optional(),
  ...legacy,
  verifySecret: OptionalSecret,
  verifyConfig: VerifyConfig.optional(),
  metadata: jsonObject().optional(),
  schemaVersion: SchemaVersion,
});

/** What is left out stays as it is. */
export const UpdateSourceRequest = z.strictObject({
  id: Id,
  name: Name.optional(),
  ...legacy,
  verifyConfig: VerifyConfig.optional(),
  metadata: jsonObject().optional(),
  schemaVersion: SchemaVersion,
  ...expectedUpdatedAt,
});

export const SourceRequest = z.strictObject({ id: Id });
export const ChangeSourceRequest = z.strictObject({ id: Id, ...expectedUpdatedAt });

const GraceSeconds = z
  .number()
  .int()
  .min(0)
  .transform((seconds) => Math.min(seconds, WEBHOOK_LIMITS.maxGraceSeconds))
  .optional();

export const RotateSecretRequest = z.strictObject({
  id: Id,
  verifySecret: WebhookSecret,
  graceSeconds: GraceSeconds,
  ...expectedUpdatedAt,
});

export const DisableVerificationRequest = z.strictObject({
  id: Id,
  graceSeconds: GraceSeconds,
  ...expectedUpdatedAt,
});

export const TestVerifyRequest = z.strictObject({
  verifyConfig: VerifyConfig,
  verifySecret: OptionalSecret,
  sourceId: z.string().max(128).optional(),
  headers: z.record(z.string().max(128), z.string().max(8192)).optional(),
  body: z.string().max(1_048_576).optional(),
});

const page = {
  limit: z.number().int().min(0).max(500).optional(),
  offset: z.number().int().min(0).max(10_000).optional(),
};

export const ListSourcesRequest = z.strictObject(page);

export const DELIVERY_OUTCOMES = ["accepted", "duplicate", "rejected"] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Which secret made the signature of a delivery. */
export type SignatureKey = "current" | "prev" | "none" | "invalid";

export const ListDeliveriesRequest = z.strictObject({
  sourceId: z.union([z.literal(""), Id]).optional(),
  status: z.union([z.literal(""), z.enum(DELIVERY_OUTCOMES)]).optional(),
  ...page,
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
