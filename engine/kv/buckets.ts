import { KV_LIMITS, type CreateKvBucketRequest } from "../contract/kv.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import type { KvBucketRow } from "../store/kv.ts";
import type { Tx } from "../store/writer.ts";

/** @throws ApiError not_found */
export function findBucket(core: Core, environmentId: string, name: string): KvBucketRow {
  const row = core.store.kv.bucket(environmentId, name);
  if (row === undefined) throw new ApiError("not_found", `bucket ${name} not found`);
  return row;
}

/** 0 and nothing mean the default, as in the SDKs. @throws ApiError already_exists, resource_exhausted */
export function createBucket(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: CreateKvBucketRequest,
): KvBucketRow {
  if (core.store.kv.bucket(environmentId, wanted.name) !== undefined) {
    throw new ApiError("already_exists", `bucket ${wanted.name} exists`);
  }
  if (core.store.kv.buckets(environmentId).length >= KV_LIMITS.bucketsPerEnvironment) {
    throw new ApiError("resource_exhausted", `more than ${KV_LIMITS.bucketsPerEnvironment} buckets`);
  }
  const row = core.store.kv.addBucket({
    environment_id: environmentId,
    name: wanted.name,
    description: wanted.description ?? "",
    ttl_seconds: wanted.ttl_seconds || null,
    max_value_bytes: wanted.max_value_size || KV_LIMITS.defaultValueBytes,
    max_bytes: wanted.max_bytes || null,
    history: wanted.history || KV_LIMITS.defaultHistory,
    created_at: tx.nowMs,
  });
  audit(core, tx, row, "created");
  return row;
}

/** The bucket is gone at once; its entries are swept in the background. @throws ApiError not_found */
export function deleteBucket(core: Core, tx: Tx, environmentId: string, name: string): void {
  const row = findBucket(core, environmentId, name);
  core.store.kv.dropBucket(row.id);
  audit(core, tx, row, "deleted");
  core.timers.wakeAt(tx, tx.nowMs);
  tx.afterCommit(() => core.kvWatchers.dropped(row.id));
}

function audit(core: Core, tx: Tx, row: KvBucketRow, action: "created" | "deleted"): void {
  auditOther(core, tx, {
    environmentId: row.environment_id,
    eventType: `kv.bucket_${action}`,
    payload: { bucket: row.name },
  });
}
