import * as z from "zod/v4";

/** Key-value buckets on the wire, section 2.10. */

/** What bounds a bucket that does not say, and what no bucket may exceed. */
export const KV_LIMITS = {
  defaultValueBytes: 1_048_576,
  maxValueBytes: 4_194_304,
  defaultHistory: 1,
  maxHistory: 64,
  maxTtlSeconds: 315_360_000,
  keyChars: 512,
  bucketsPerEnvironment: 1_000,
} as const;

/** Names of buckets, as NATS has them. `SYS_` belongs to the engine. */
export const KvBucketName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, "must be letters, digits, - and _, at most 128")
  .refine((name) => !name.startsWith("SYS_"), "SYS_ is for the engine's own buckets");

/** Keys, as NATS has them: tokens of letters, digits and `-/_=`, with dots between. */
export const KvKey = z
  .string()
  .max(KV_LIMITS.keyChars)
  .regex(
    /^[A-Za-z0-9\-/_=]+(\.[A-Za-z0-9\-/_=]+)*$/,
    "must be letters, digits and -/_= with single dots between",
  );

/** A key, or a pattern with `*` (one token) and `>` (the rest). */
export const KvFilter = z
  .string()
  .max(KV_LIMITS.keyChars)
  .regex(/^[A-Za-z0-9\-/_=*>.]+$/, "must be a key, or one with * and >");

export const CreateKvBucketRequest = z.strictObject({
  name: KvBucketName,
  description: z.string().max(4096).nullish(),
  ttl_seconds: z.number().int().min(0).max(KV_LIMITS.maxTtlSeconds).nullish(),
  max_value_size: z.number().int().min(0).max(KV_LIMITS.maxValueBytes).nullish(),
  max_bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish(),
  history: z.number().int().min(0).max(KV_LIMITS.maxHistory).nullish(),
});
export type CreateKvBucketRequest = z.infer<typeof CreateKvBucketRequest>;

export const RestKvBucket = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  ttl_seconds: z.number().optional(),
  max_value_size: z.number().optional(),
  max_bytes: z.number().optional(),
  /** Kept revisions of all keys, as NATS counts them. */
  values: z.number().default(0),
  bytes: z.number().default(0),
  history: z.number().default(1),
  created_at: z.string().optional(),
});
export type RestKvBucket = z.infer<typeof RestKvBucket>;

export const ListKvBucketsResponse = z.looseObject({
  buckets: z.array(RestKvBucket).nullish(),
  count: z.number().int().default(0),
});

export const ListKvKeysResponse = z.looseObject({
  keys: z.array(z.string()).nullish(),
  count: z.number().int().default(0),
  /** There are more keys than were looked at (the embedded engine's word). */
  truncated: z.boolean().optional(),
});

export const KvOperation = z.enum(["put", "delete"]);

export const RestKvEntry = z.looseObject({
  key: z.string(),
  /** Base64. */
  value: z.string().default(""),
  revision: z.number().int(),
  created_at: z.string().optional(),
  operation: KvOperation.default("put"),
});
export type RestKvEntry = z.infer<typeof RestKvEntry>;

/** `GET /api/v1/kv/buckets/{bucket}/history/{key}`, a route of the embedded engine: kept revisions, newest first. */
export const KvHistoryResponse = z.looseObject({
  entries: z
    .array(
      z.looseObject({
        revision: z.number().int(),
        operation: KvOperation,
        /** Size of the value, bytes. */
        size: z.number().int(),
        created_at: z.string(),
      }),
    )
    .default([]),
  count: z.number().int().default(0),
});

/** A frame of the watch. */
export const KvUpdateFrame = z.looseObject({
  type: z.literal("kv_update"),
  bucket: z.string(),
  key: z.string(),
  /** Base64. */
  value: z.string(),
  revision: z.number().int(),
  operation: KvOperation,
});
export type KvUpdateFrame = z.infer<typeof KvUpdateFrame>;
