import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import {
  CreateKvBucketRequest,
  KvBucketName,
  KvFilter,
  KvKey,
  KvHistoryResponse,
  ListKvBucketsResponse,
  ListKvKeysResponse,
  RestKvBucket,
  RestKvEntry,
} from "../../contract/kv.ts";
import { ApiError } from "../../errors.ts";
import { createBucket, deleteBucket, findBucket } from "../../kv/buckets.ts";
import { deleteEntry, getEntry, putEntry, type KvCondition, type KvPlace } from "../../kv/entries.ts";
import { listKeys } from "../../kv/keys.ts";
import type { Call } from "../call.ts";
import { parsePart, queryInt } from "../fields.ts";
import { restKvBucket, restKvEntry } from "../data-shapes.ts";
import { bytesRoute, NO_CONTENT, route, type Preconditions, type RestRoute } from "./route.ts";

const revision = queryInt(0, Number.MAX_SAFE_INTEGER);

const bucketOf = (params: Record<string, string>) => parsePart(KvBucketName, params.bucket, "bucket");

const placeOf = ({ environment }: Call, params: Record<string, string>): KvPlace => ({
  environmentId: environment.id,
  bucket: bucketOf(params),
  key: parsePart(KvKey, params.key, "key"),
});

/** `If-None-Match: *` and `If-Match: <revision>`; revision 0 means that the key must not be there. */
function conditionOf({ ifMatch, ifNoneMatch }: Preconditions): KvCondition {
  if (ifNoneMatch !== undefined && ifMatch !== undefined) {
    throw new ApiError("invalid_argument", "If-Match: excludes If-None-Match");
  }
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== "*") throw new ApiError("invalid_argument", "If-None-Match: must be *");
    return { kind: "absent" };
  }
  if (ifMatch === undefined) return { kind: "none" };
  const wanted = parsePart(revision, ifMatch.trim().replaceAll('"', ""), "If-Match");
  return wanted === 0 ? { kind: "absent" } : { kind: "revision", revision: wanted };
}

/** Section 2.10. */
export const kvRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/kv/buckets",
    summary: "List key-value buckets",
    answer: ListKvBucketsResponse,
    run: ({ core, environment }) => {
      const buckets = core.store.kv
        .buckets(environment.id)
        .filter((row) => !row.name.startsWith("SYS_"))
        .map(restKvBucket);
      return { buckets, count: buckets.length };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/kv/buckets",
    summary: "Make a key-value bucket",
    answer: RestKvBucket,
    body: CreateKvBucketRequest,
    run: ({ core, environment }, { body }) =>
      core.writer.write((tx) => restKvBucket(createBucket(core, tx, environment.id, body))),
  }),
  route({
    method: "GET",
    path: "/api/v1/kv/buckets/{bucket}",
    summary: "Get a bucket",
    answer: RestKvBucket,
    run: ({ core, environment }, { params }) =>
      restKvBucket(findBucket(core, environment.id, bucketOf(params))),
  }),
  route({
    method: "DELETE",
    path: "/api/v1/kv/buckets/{bucket}",
    summary: "Delete a bucket and its keys",
    run: async ({ core, environment }, { params }) => {
      const name = bucketOf(params);
      await core.writer.write((tx) => deleteBucket(core, tx, environment.id, name));
      return NO_CONTENT;
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/kv/buckets/{bucket}/keys",
    summary: "List keys",
    answer: ListKvKeysResponse,
    query: z.strictObject({ filter: KvFilter.optional() }),
    run: ({ core, environment }, { params, query }) => {
      const bucket = findBucket(core, environment.id, bucketOf(params));
      const { keys, truncated } = listKeys(core, bucket, query.filter);
      return { keys, count: keys.length, ...(truncated ? { truncated } : {}) };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/kv/buckets/{bucket}/keys/{key...}",
    summary: "Read a value",
    answer: RestKvEntry,
    query: z.strictObject({ revision: revision.optional() }),
    run: (call, { params, query }) => restKvEntry(getEntry(call.core, placeOf(call, params), query.revision)),
  }),
  bytesRoute({
    method: "PUT",
    path: "/api/v1/kv/buckets/{bucket}/keys/{key...}",
    summary: "Write a value, under conditions or without",
    answer: z.object({ revision: z.number().int() }),
    query: z.strictObject({}),
    run: async (call, { params, body, preconditions }) => {
      const place = placeOf(call, params);
      const condition = conditionOf(preconditions);
      return {
        revision: await call.core.writer.write((tx) => putEntry(call.core, tx, place, body, condition)),
      };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/kv/buckets/{bucket}/keys/{key...}",
    summary: "Delete a value",
    query: z.strictObject({ purge: z.enum(["true", "false"]).optional() }),
    run: async (call, { params, query, preconditions }) => {
      const place = placeOf(call, params);
      const options = { purge: query.purge === "true", condition: conditionOf(preconditions) };
      await call.core.writer.write((tx) => deleteEntry(call.core, tx, place, options));
      return NO_CONTENT;
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/kv/buckets/{bucket}/history/{key...}",
    summary: "List the kept revisions of a key",
    answer: KvHistoryResponse,
    run: (call, { params }) => {
      const place = placeOf(call, params);
      const bucket = findBucket(call.core, place.environmentId, place.bucket);
      const rows = call.core.store.kv.history(bucket.id, place.key, call.core.clock.nowMs());
      if (rows.length === 0) {
        throw new ApiError("not_found", `key ${place.key} not found in bucket ${place.bucket}`);
      }
      return {
        entries: rows.map((row) => ({
          revision: row.revision,
          operation: row.operation,
          size: row.value_bytes,
          created_at: toTimestamp(row.created_at),
        })),
        count: rows.length,
      };
    },
  }),
];
