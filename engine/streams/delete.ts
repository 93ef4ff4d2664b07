import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import { placeholderFor } from "../execute/placeholder.ts";
import { toJsonText } from "../json/json-text.ts";
import type { StreamRow } from "../store/streams.ts";
import type { Tx } from "../store/writer.ts";
import { addToStream } from "./append.ts";

export const TOMBSTONE = "$stream.deleted";

/**
 * Appends the tombstone, after which the stream takes no more events, and drops the snapshots. With `purge` nobody sees
 * the events below the tombstone any more; `purgeStream` removes them. Deleting again changes nothing but that.
 * @returns the version of the tombstone
 * @throws ApiError not_found; failed_precondition when a run or debounce still works with an event that would be purged
 */
export function deleteStream(
  core: Core,
  tx: Tx,
  environmentId: string,
  entityId: string,
  purge: boolean,
): number {
  const before = core.store.streams.get(environmentId, entityId);
  if (before === undefined) throw new ApiError("not_found", "stream not found");
  const stream = before.deleted_at === null ? entomb(core, tx, before, purge) : before;
  if (purge && stream.purge_below === null) {
    if (core.store.streams.isInUse(stream, stream.version)) {
      throw new ApiError(
        "failed_precondition",
        `a run that is not at its end, or a debounce, still works with an event of the stream ${entityId}; cancel it first`,
      );
    }
    core.store.streams.put({ ...stream, purge_below: stream.version, event_count: 1, purging: 1 });
    core.store.outbox.deleteBelow(environmentId, entityId, stream.version);
    core.store.routingSlices.deleteBelow(environmentId, entityId, stream.version);
  }
  if (stream !== before || purge) {
    auditOther(core, tx, {
      environmentId,
      eventType: "stream.deleted",
      payload: { entity_id: entityId, entity_type: stream.entity_type, version: stream.version, purge },
    });
  }
  return stream.version;
}

function entomb(core: Core, tx: Tx, stream: StreamRow, purge: boolean): StreamRow {
  const data = toJsonText({ entity_id: stream.entity_id, entity_type: stream.entity_type, purge });
  addToStream(core, tx, { ...stream, deleted_at: tx.nowMs }, { name: TOMBSTONE, data, version: 1 });
  core.store.snapshots.deleteFrom(stream.environment_id, stream.entity_id, 0);
  const row = core.store.streams.get(stream.environment_id, stream.entity_id);
  if (row === undefined) throw new Error(`the stream ${stream.entity_id} is gone`);
  return row;
}

/** Events removed in one transaction: it bounds the time the engine answers nothing else. */
const batch = 200;

/** Removes what a deleted stream was purged of, from the file too. Resolves when nothing of it is left. */
export async function purgeStream(core: Core, environmentId: string, entityId: string): Promise<void> {
  for (;;) {
    const left = await core.writer.write((tx) => {
      const stream = core.store.streams.get(environmentId, entityId);
      if (stream === undefined || stream.purging === 0 || stream.purge_below === null) return false;
      const below = stream.purge_below;
      const ids = core.store.db.erasing(() => {
        const gone = core.store.streams.purge(stream, below, batch);
        for (const id of gone)
          core.store.deadLetters.redactByEvent(id, (text) => placeholderFor(text, tx.nowMs));
        return gone;
      });
      if (ids.length === batch) return true;
      core.store.streams.put({ ...stream, purging: 0 });
      tx.afterCommit(() => core.logEmptier.empty());
      return false;
    });
    if (!left) return;
  }
}

/** Ends the purges that were under way when the engine last stopped. */
export function resumePurges(core: Core): void {
  for (const { environment_id, entity_id } of core.store.streams.purging()) {
    purgeStream(core, environment_id, entity_id).catch((error: unknown) =>
      core.log.error(
        { err: error, entity: entity_id },
        "a stream could not be purged; the next start tries again",
      ),
    );
  }
}
