import type { Core } from "../core.ts";
import { isPattern, matchesPattern } from "../execute/pattern.ts";
import type { KvBucketRow } from "../store/kv.ts";

/** Keys that one answer holds at most, and keys that are looked at for it. */
export const KV_KEYS = { listed: 10_000, scanned: 100_000 } as const;

const page = 1_000;
/** Keys hold no character below `-` and none above `z`. */
const belowAll = " ";
const aboveAll = "~";

/** Keys with a value that fit the filter, in order. `truncated` when there may be more. */
export function listKeys(
  core: Core,
  bucket: KvBucketRow,
  filter: string | undefined,
): { keys: string[]; truncated: boolean } {
  const prefix = literalPrefix(filter);
  const keys: string[] = [];
  let from = prefix;
  for (let scanned = 0; scanned < KV_KEYS.scanned; scanned += page) {
    const rows = core.store.kv.keys(bucket.id, {
      from,
      before: `${prefix}${aboveAll}`,
      nowMs: core.clock.nowMs(),
      limit: page,
    });
    for (const { key } of rows) {
      if (filter !== undefined && !matchesPattern(filter, key)) continue;
      if (keys.length === KV_KEYS.listed) return { keys, truncated: true };
      keys.push(key);
    }
    from = `${rows.at(-1)?.key ?? ""}${belowAll}`;
    if (rows.length < page) return { keys, truncated: false };
  }
  return { keys, truncated: true };
}

/** What every key that fits begins with. */
function literalPrefix(filter: string | undefined): string {
  if (filter === undefined) return "";
  if (!isPattern(filter)) return filter;
  const tokens = filter.split(".");
  const wild = tokens.findIndex((token) => token === "*" || token === ">");
  return tokens
    .slice(0, wild)
    .map((token) => `${token}.`)
    .join("");
}
