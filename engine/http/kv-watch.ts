import type { WebSocket } from "ws";
import type { Core } from "../core.ts";
import { KvBucketName, KvFilter, type KvUpdateFrame } from "../contract/kv.ts";
import { matchesPattern } from "../execute/pattern.ts";
import { findBucket } from "../kv/buckets.ts";
import type { KvChange } from "../kv/watchers.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import type { KvBucketRow } from "../store/kv.ts";
import { watchClient } from "./watch-client.ts";

/** Values that are there already are sent while less than this waits. */
const sendBelowUnreadBytes = 256 * 1024;
const keysPerPage = 100;
/** How soon a client that was too slow for more is looked at again, ms. */
const drainCheckMs = 20;

const goingAway = 1001;

/** A watch of the keys of a bucket that fit, or of all. @throws ZodError, ApiError not_found */
export function openKvWatch(
  core: Core,
  environment: EnvironmentRow,
  name: string,
  key: string | null,
): (client: WebSocket) => void {
  const bucket = findBucket(core, environment.id, KvBucketName.parse(name));
  const filter = key === null || key === "" ? undefined : KvFilter.parse(key);
  return (client) => serveWatch(core, bucket, filter, client);
}

/**
 * Sends every value that fits, in order of the keys, and then every change. Nothing is missed and nothing comes twice: a
 * change of a key that is still to be sent waits for that.
 */
function serveWatch(core: Core, bucket: KvBucketRow, filter: string | undefined, client: WebSocket): void {
  /** Keys up to this one have been sent; undefined once all have. */
  let sentUpTo: string | undefined = "";
  let cancelLook: (() => void) | undefined;

  const fits = (key: string) => filter === undefined || matchesPattern(filter, key);
  const send = (change: Omit<KvChange, "bucketId">): void => {
    const frame: KvUpdateFrame = {
      type: "kv_update",
      bucket: bucket.name,
      key: change.key,
      value: Buffer.from(change.value).toString("base64"),
      revision: change.revision,
      operation: change.operation,
    };
    sendFrame(frame);
  };

  function sendStored(): void {
    cancelLook = undefined;
    while (sentUpTo !== undefined) {
      if (client.readyState !== client.OPEN) return;
      if (client.bufferedAmount > sendBelowUnreadBytes) {
        cancelLook = core.clock.after(drainCheckMs, sendStored);
        return;
      }
      const keys: { key: string }[] = core.store.kv.keys(bucket.id, {
        from: sentUpTo === "" ? "" : `${sentUpTo} `,
        before: "~",
        nowMs: core.clock.nowMs(),
        limit: keysPerPage,
      });
      for (const { key } of keys) {
        sentUpTo = key;
        const row = fits(key) ? core.store.kv.latest(bucket.id, key) : undefined;
        if (row !== undefined) send(row);
        if (client.bufferedAmount > sendBelowUnreadBytes) break;
      }
      if (keys.length < keysPerPage && sentUpTo === (keys.at(-1)?.key ?? sentUpTo)) sentUpTo = undefined;
    }
  }

  const stop = core.kvWatchers.watch(bucket.id, {
    onChange: (change) => {
      if (fits(change.key) && (sentUpTo === undefined || change.key <= sentUpTo)) send(change);
    },
    onDropped: () => client.close(goingAway, "the bucket was deleted"),
  });
  const sendFrame = watchClient(core, client, () => {
    cancelLook?.();
    stop();
  });
  sendStored();
}
