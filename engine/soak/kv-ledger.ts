import type { DatabaseSync } from "@photostructure/sqlite";
import { KV_BUCKET, KV_COUNTER } from "./kv-load.ts";

/** What a dead engine had on disk of the soak's bucket. */
export interface KvSnapshot {
  bucket: { revision: number; entries: number } | undefined;
  entries: { key: string; revision: number; latest: number; value: string }[];
}

export const emptyKv: KvSnapshot = { bucket: undefined, entries: [] };

export function readKv(db: InstanceType<typeof DatabaseSync>): KvSnapshot {
  const [bucket] = db
    .prepare("select id, revision, entries from kv_buckets where name = ?")
    .all(KV_BUCKET) as { id: number; revision: number; entries: number }[];
  if (bucket === undefined) return emptyKv;
  const entries = db
    .prepare("select key, revision, latest, cast(value as text) as value from kv_entries where bucket_id = ?")
    .all(bucket.id) as KvSnapshot["entries"];
  return { bucket, entries };
}

/** What the engine has acknowledged of keys; none of it may be missing, doubled or lost to another writer. */
export interface KvLedger {
  made(key: string, revision: number): void;
  /** A client is about to count up. */
  counting(): void;
  counted(n: number): void;
  /** Compares with what is on disk after a kill. What is wrong, one line each. */
  compare(snapshot: KvSnapshot): string[];
  counts(): { keys: number; counted: number };
}

export function createKvLedger(): KvLedger {
  const made = new Map<string, number>();
  const counted = new Set<number>();
  const faults: string[] = [];
  let tries = 0;
  return {
    made: (key, revision) => {
      made.set(key, revision);
    },
    counting: () => {
      tries += 1;
    },
    counted: (n) => {
      if (counted.has(n)) faults.push(`two clients counted up to ${n}`);
      counted.add(n);
    },
    compare: ({ bucket, entries }) => {
      const found = faults.splice(0);
      const latest = new Map(entries.filter((row) => row.latest === 1).map((row) => [row.key, row]));
      for (const [key, revision] of made) {
        const row = latest.get(key);
        if (row?.revision !== revision || row.value !== key)
          found.push(`the acknowledged key ${key} is missing or not the one of revision ${revision}`);
      }
      const value = Number(latest.get(KV_COUNTER)?.value ?? 0);
      if (value < counted.size) found.push(`the counter is ${value}, ${counted.size} were acknowledged`);
      if (value > tries) found.push(`the counter is ${value}, only ${tries} were tried`);
      if (new Set(entries.map(({ revision }) => revision)).size !== entries.length)
        found.push("two entries have one revision");
      if (latest.size !== new Set(entries.map(({ key }) => key)).size)
        found.push("a key has not exactly one newest revision");
      if (bucket !== undefined && bucket.entries !== entries.length)
        found.push(`the bucket counts ${bucket.entries} entries and has ${entries.length}`);
      if (entries.some(({ revision }) => revision > (bucket?.revision ?? 0)))
        found.push("an entry has a revision that its bucket has not given yet");
      return found;
    },
    counts: () => ({ keys: made.size, counted: counted.size }),
  };
}
