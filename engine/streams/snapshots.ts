import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { JsonText } from "../json/json-text.ts";
import type { Tx } from "../store/writer.ts";

export interface Snapshot {
  environmentId: string;
  entityId: string;
  entityType: string;
  entityVersion: number;
  state: JsonText;
}

/**
 * Keeps what a stream's events up to a version add up to.
 * @throws ApiError not_found, failed_precondition for a deleted stream or another type, invalid_argument for a version that is not there
 */
export function createSnapshot(core: Core, tx: Tx, snapshot: Snapshot): string {
  const stream = core.store.streams.get(snapshot.environmentId, snapshot.entityId);
  if (stream === undefined) throw new ApiError("not_found", "stream not found");
  if (stream.deleted_at !== null) {
    throw new ApiError("failed_precondition", `the stream ${snapshot.entityId} is deleted`);
  }
  if (snapshot.entityType !== "" && snapshot.entityType !== stream.entity_type) {
    throw new ApiError("failed_precondition", `entity_type: the stream is of type ${stream.entity_type}`);
  }
  if (snapshot.entityVersion > stream.version) {
    throw new ApiError("invalid_argument", `entity_version: the stream is at version ${stream.version}`);
  }
  const id = core.ids.next("snap");
  core.store.snapshots.put({
    id,
    environment_id: snapshot.environmentId,
    entity_id: snapshot.entityId,
    entity_type: stream.entity_type,
    entity_version: snapshot.entityVersion,
    state: snapshot.state.text,
    created_at: tx.nowMs,
  });
  return id;
}
