import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { KvBucketRow, KvEntryRow } from "../store/kv.ts";
import type { DueSource } from "../execute/due-source.ts";
import type { Tx } from "../store/writer.ts";
import { findBucket } from "./buckets.ts";

/** What a write requires of the key as it is. */
export type KvCondition = { kind: "none" } | { kind: "absent" } | { kind: "revision"; revision: number };

/** Where a key is. */
export interface KvPlace {
  environmentId: string;
  bucket: string;
  key: string;
}

const isOver = (row: KvEntryRow, nowMs: number) => row.expires_at !== null && row.expires_at <= nowMs;

/** The newest revision, delete marker included; an expired one is as if it were not there. */
function headOf(core: Core, bucket: KvBucketRow, key: string, nowMs: number): KvEntryRow | undefined {
  const row = core.store.kv.latest(bucket.id, key);
  return row === undefined || isOver(row, nowMs) ? undefined : row;
}

/**
 * The value of a key, or of one of its kept revisions.
 * @throws ApiError not_found for a key that is not there, was deleted or has expired
 */
export function getEntry(core: Core, place: KvPlace, revision?: number): KvEntryRow {
  const bucket = findBucket(core, place.environmentId, place.bucket);
  const nowMs = core.clock.nowMs();
  const row =
    revision === undefined
      ? headOf(core, bucket, place.key, nowMs)
      : core.store.kv.revision(bucket.id, place.key, revision);
  if (row === undefined || isOver(row, nowMs) || (revision === undefined && row.operation === "delete")) {
    const which = revision === undefined ? "" : ` at revision ${revision}`;
    throw new ApiError("not_found", `key ${place.key}${which} not found in bucket ${place.bucket}`);
  }
  return row;
}

/**
 * Stores a value as the key's newest revision. Revisions count within the bucket and never come again.
 * @throws ApiError not_found, already_exists, aborted, invalid_argument, failed_precondition (the bucket is full)
 */
export function putEntry(
  core: Core,
  tx: Tx,
  place: KvPlace,
  value: Uint8Array,
  condition: KvCondition,
): number {
  const bucket = findBucket(core, place.environmentId, place.bucket);
  if (value.length > bucket.max_value_bytes) {
    throw new ApiError("invalid_argument", `value: is over ${bucket.max_value_bytes} bytes`);
  }
  check(condition, headOf(core, bucket, place.key, tx.nowMs), place);
  return append(core, tx, bucket, place.key, "put", value);
}

/**
 * Deletes a key: a marker takes the place of its value, older revisions stay as history. With `purge` nothing of it stays.
 * A key that is not there is left so.
 * @throws ApiError not_found for the bucket, aborted
 */
export function deleteEntry(
  core: Core,
  tx: Tx,
  place: KvPlace,
  options: { purge: boolean; condition: KvCondition },
): void {
  const bucket = findBucket(core, place.environmentId, place.bucket);
  const head = headOf(core, bucket, place.key, tx.nowMs);
  check(options.condition, head, place);
  if (options.purge) {
    purge(core, tx, bucket, place.key, head);
  } else if (head?.operation === "put") {
    append(core, tx, bucket, place.key, "delete", new Uint8Array());
  }
}

function check(condition: KvCondition, head: KvEntryRow | undefined, { key }: KvPlace): void {
  if (condition.kind === "absent" && head?.operation === "put") {
    throw new ApiError("already_exists", `key ${key} exists at revision ${head.revision}`);
  }
  if (condition.kind === "revision" && (head?.revision ?? 0) !== condition.revision) {
    const now = head === undefined ? "is not there" : `is at revision ${head.revision}`;
    throw new ApiError("aborted", `key ${key} ${now}, not at revision ${condition.revision}`);
  }
}

function append(
  core: Core,
  tx: Tx,
  bucket: KvBucketRow,
  key: string,
  operation: KvEntryRow["operation"],
  value: Uint8Array,
): number {
  const revision = bucket.revision + 1;
  const expiresAt = bucket.ttl_seconds === null ? null : tx.nowMs + bucket.ttl_seconds * 1000;
  core.store.kv.add({
    bucket_id: bucket.id,
    key,
    revision,
    operation,
    value,
    created_at: tx.nowMs,
    expires_at: expiresAt,
  });
  const gone = core.store.kv.trim(bucket.id, key, bucket.history);
  const bytes = Buffer.byteLength(key, "utf8") + value.length - gone.bytes;
  // A delete is always let through: it is how a full bucket becomes usable again.
  if (operation === "put" && bucket.max_bytes !== null && bucket.bytes + bytes > bucket.max_bytes) {
    throw new ApiError(
      "failed_precondition",
      `bucket ${bucket.name} would hold more than ${bucket.max_bytes} bytes`,
    );
  }
  core.store.kv.count(bucket.id, { revision, entries: 1 - gone.entries, bytes });
  if (expiresAt !== null) core.timers.wakeAt(tx, expiresAt);
  announce(core, tx, bucket, { key, value, revision, operation });
  return revision;
}

function purge(core: Core, tx: Tx, bucket: KvBucketRow, key: string, head: KvEntryRow | undefined): void {
  const gone = core.store.db.erasing(() => core.store.kv.trim(bucket.id, key, 0));
  if (gone.entries === 0) return;
  const revision = bucket.revision + 1;
  core.store.kv.count(bucket.id, { revision, entries: -gone.entries, bytes: -gone.bytes });
  tx.afterCommit(() => core.logEmptier.empty());
  if (head?.operation === "put") {
    announce(core, tx, bucket, { key, value: new Uint8Array(), revision, operation: "delete" });
  }
}

function announce(
  core: Core,
  tx: Tx,
  bucket: Pick<KvBucketRow, "id">,
  change: Pick<KvEntryRow, "key" | "value" | "revision" | "operation">,
): void {
  tx.afterCommit(() => core.kvWatchers.publish({ bucketId: bucket.id, ...change }));
}

/** Rows removed in one change: it bounds the time the engine answers nothing else. */
const batch = 200;

/** Forgets revisions whose time is over, and what dropped buckets have left. */
export const kvSource: DueSource<number> = {
  name: "kv",
  earliest: (store) => {
    const dueAt = store.kv.nextDue();
    return dueAt === undefined ? [] : [dueAt];
  },
  reread: (store) => store.kv.nextDue(),
  dueAt: (at) => at,
  key: () => "",
  fire: (core, tx) => sweepKv(core, tx),
  inParts: true,
};

/** Watchers hear of a value that expired. */
function sweepKv(core: Core, tx: Tx): void {
  const { kv } = core.store;
  for (const row of kv.expired(tx.nowMs, batch)) {
    kv.remove(row.bucket_id, row.key, row.revision);
    const bucket = kv.bucketById(row.bucket_id);
    if (bucket === undefined) continue;
    const bytes = Buffer.byteLength(row.key, "utf8") + row.value_bytes;
    kv.count(bucket.id, { revision: bucket.revision, entries: -1, bytes: -bytes });
    if (row.latest === 1 && row.operation === "put") {
      announce(core, tx, bucket, {
        key: row.key,
        value: new Uint8Array(),
        revision: row.revision,
        operation: "delete",
      });
    }
  }
  kv.sweepDropped(batch);
}
