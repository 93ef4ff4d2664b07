import type { Database } from "./database.ts";

export interface KvBucketRow {
  id: number;
  environment_id: string;
  name: string;
  description: string;
  /** How long an entry lives; null for ever. */
  ttl_seconds: number | null;
  max_value_bytes: number;
  /** The most that keys and values of all kept revisions may take; null for no limit. */
  max_bytes: number | null;
  /** Revisions kept of each key. */
  history: number;
  /** The revision of the last change in this bucket. */
  revision: number;
  /** Kept revisions, delete markers included. */
  entries: number;
  /** Keys and values of all kept revisions. */
  bytes: number;
  created_at: number;
}

export interface KvEntryRow {
  bucket_id: number;
  key: string;
  revision: number;
  operation: "put" | "delete";
  /** 1 for the newest revision of its key. */
  latest: number;
  value: Uint8Array;
  created_at: number;
  expires_at: number | null;
}

/** A revision without its value. */
export type KvRevisionRow = Pick<KvEntryRow, "key" | "revision" | "operation" | "created_at"> & {
  value_bytes: number;
};

export interface KvTable {
  buckets(environmentId: string): KvBucketRow[];
  bucket(environmentId: string, name: string): KvBucketRow | undefined;
  bucketById(id: number): KvBucketRow | undefined;
  addBucket(row: Omit<KvBucketRow, "id" | "revision" | "entries" | "bytes">): KvBucketRow;
  /** Takes a bucket away at once; its entries go later, some at a time. */
  dropBucket(id: number): void;
  /** Counts one more change of a bucket and what it added or removed. */
  count(id: number, change: { revision: number; entries: number; bytes: number }): void;
  /** The newest revision of a key, delete markers and expired ones included. */
  latest(bucketId: number, key: string): KvEntryRow | undefined;
  revision(bucketId: number, key: string, revision: number): KvEntryRow | undefined;
  /** The kept revisions of a key that have not expired, newest first. */
  history(bucketId: number, key: string, nowMs: number): KvRevisionRow[];
  /** Stores a revision as the newest of its key. */
  add(row: Omit<KvEntryRow, "latest">): void;
  /** Forgets the revisions of a key beyond the newest `keep`. How many went, and their bytes. */
  trim(bucketId: number, key: string, keep: number): { entries: number; bytes: number };
  /** Keys with a value, in order, from `from` on and less than `before`. */
  keys(
    bucketId: number,
    range: { from: string; before: string; nowMs: number; limit: number },
  ): { key: string; revision: number }[];
  /** Expired revisions, those that expired first. */
  expired(nowMs: number, limit: number): (KvRevisionRow & { bucket_id: number; latest: number })[];
  remove(bucketId: number, key: string, revision: number): void;
  /** Forgets entries of buckets that were dropped. False when nothing is left of them. */
  sweepDropped(limit: number): boolean;
  /** When something is to be swept next, ms since 1970. */
  nextDue(): number | undefined;
}

export function createKvTable(db: Database): KvTable {
  const buckets = db.prepare<KvBucketRow>("select * from kv_buckets where environment_id = ? order by name");
  const bucket = db.prepare<KvBucketRow>("select * from kv_buckets where environment_id = ? and name = ?");
  const bucketById = db.prepare<KvBucketRow>("select * from kv_buckets where id = ?");
  const addBucket = db.prepare<KvBucketRow>(
    `insert into kv_buckets (environment_id, name, description, ttl_seconds, max_value_bytes, max_bytes, history, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?) returning *`,
  );
  const removeBucket = db.prepare("delete from kv_buckets where id = ?");
  const addDropped = db.prepare("insert into kv_dropped (bucket_id) values (?)");
  const count = db.prepare(
    "update kv_buckets set revision = ?, entries = entries + ?, bytes = bytes + ? where id = ?",
  );
  const latest = db.prepare<KvEntryRow>(
    "select * from kv_entries where bucket_id = ? and key = ? order by revision desc limit 1",
  );
  const revision = db.prepare<KvEntryRow>(
    "select * from kv_entries where bucket_id = ? and key = ? and revision = ?",
  );
  const history = db.prepare<KvRevisionRow>(
    `select key, revision, operation, created_at, length(value) as value_bytes from kv_entries
     where bucket_id = ?1 and key = ?2 and (expires_at is null or expires_at > ?3) order by revision desc`,
  );
  const supersede = db.prepare(
    "update kv_entries set latest = 0 where bucket_id = ? and key = ? and latest = 1",
  );
  const add = db.prepare(
    `insert into kv_entries (bucket_id, key, revision, operation, latest, value, created_at, expires_at)
     values (?, ?, ?, ?, 1, ?, ?, ?)`,
  );
  const size = "length(cast(key as blob)) + length(value)";
  const surplus = db.prepare<{ revision: number; bytes: number }>(
    `select revision, ${size} as bytes from kv_entries where bucket_id = ? and key = ?
     order by revision desc limit -1 offset ?`,
  );
  const remove = db.prepare("delete from kv_entries where bucket_id = ? and key = ? and revision = ?");
  const keys = db.prepare<{ key: string; revision: number }>(
    `select key, revision from kv_entries
     where bucket_id = ?1 and key >= ?2 and key < ?3 and latest = 1 and operation = 'put'
       and (expires_at is null or expires_at > ?4) order by key limit ?5`,
  );
  const expired = db.prepare<KvRevisionRow & { bucket_id: number; latest: number }>(
    `select bucket_id, key, revision, operation, created_at, latest, length(value) as value_bytes from kv_entries
     where expires_at <= ? order by expires_at limit ?`,
  );
  const nextExpiry = db.prepare<{ at: number }>(
    "select expires_at as at from kv_entries where expires_at is not null order by expires_at limit 1",
  );
  const dropped = db.prepare<{ bucket_id: number }>("select bucket_id from kv_dropped limit 1");
  const sweep = db.prepare(
    "delete from kv_entries where rowid in (select rowid from kv_entries where bucket_id = ? limit ?)",
  );
  const forgetDropped = db.prepare("delete from kv_dropped where bucket_id = ?");
  return {
    buckets: (environmentId) => buckets.all(environmentId),
    bucket: (environmentId, name) => bucket.get(environmentId, name),
    bucketById: (id) => bucketById.get(id),
    addBucket: (r) => {
      const row = addBucket.get(
        r.environment_id,
        r.name,
        r.description,
        r.ttl_seconds,
        r.max_value_bytes,
        r.max_bytes,
        r.history,
        r.created_at,
      );
      if (row === undefined) throw new Error(`bucket ${r.name} could not be made`);
      return row;
    },
    dropBucket: (id) => {
      removeBucket.run(id);
      addDropped.run(id);
    },
    count: (id, change) => {
      count.run(change.revision, change.entries, change.bytes, id);
    },
    latest: (bucketId, key) => latest.get(bucketId, key),
    revision: (bucketId, key, wanted) => revision.get(bucketId, key, wanted),
    history: (bucketId, key, nowMs) => history.all(bucketId, key, nowMs),
    add: (r) => {
      supersede.run(r.bucket_id, r.key);
      add.run(r.bucket_id, r.key, r.revision, r.operation, r.value, r.created_at, r.expires_at);
    },
    trim: (bucketId, key, keep) => {
      const gone = surplus.all(bucketId, key, keep);
      for (const row of gone) remove.run(bucketId, key, row.revision);
      return { entries: gone.length, bytes: gone.reduce((sum, row) => sum + row.bytes, 0) };
    },
    keys: (bucketId, range) => keys.all(bucketId, range.from, range.before, range.nowMs, range.limit),
    expired: (nowMs, limit) => expired.all(nowMs, limit),
    remove: (bucketId, key, gone) => {
      remove.run(bucketId, key, gone);
    },
    sweepDropped: (limit) => {
      const row = dropped.get();
      if (row === undefined) return false;
      if (sweep.run(row.bucket_id, limit) < limit) forgetDropped.run(row.bucket_id);
      return dropped.get() !== undefined;
    },
    nextDue: () => (dropped.get() === undefined ? nextExpiry.get()?.at : 0),
  };
}
