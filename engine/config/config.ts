import { parseExactJson } from "../../loopback/exact-json.ts";
import { toTimestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { announceConfig } from "../execute/notices.ts";
import { JsonText, toJsonText } from "../json/json-text.ts";
import { findBucket } from "../kv/buckets.ts";
import { deleteEntry, getEntry, putEntry } from "../kv/entries.ts";
import { listKeys } from "../kv/keys.ts";
import type { KvEntryRow } from "../store/kv.ts";
import type { Tx } from "../store/writer.ts";

/** Configurations are keys of this bucket, which the key-value routes do not show. */
export const CONFIG_BUCKET = "SYS_config";
const maxBytes = 1_048_576;
const history = 16;

const placeOf = (environmentId: string, name: string) => ({
  environmentId,
  bucket: CONFIG_BUCKET,
  key: name,
});

function shape(row: KvEntryRow): { name: string; data: JsonText; revision: number; updatedAt: string } {
  const data = new JsonText(Buffer.from(row.value).toString("utf8"));
  return { name: row.key, data, revision: row.revision, updatedAt: toTimestamp(row.created_at) };
}

/** Undefined when there is none. */
export function readConfig(
  core: Core,
  environmentId: string,
  name: string,
): ReturnType<typeof shape> | undefined {
  const bucket = core.store.kv.bucket(environmentId, CONFIG_BUCKET);
  const row = bucket && core.store.kv.latest(bucket.id, name);
  return row === undefined || row.operation === "delete" ? undefined : shape(row);
}

/** @throws ApiError not_found */
export function getConfig(core: Core, environmentId: string, name: string): ReturnType<typeof shape> {
  const document = readConfig(core, environmentId, name);
  if (document === undefined) throw new ApiError("not_found", `config ${name} not found`);
  return document;
}

/** In order of their names. */
export function listConfigs(
  core: Core,
  environmentId: string,
): { name: string; revision: number; updatedAt: string }[] {
  const bucket = core.store.kv.bucket(environmentId, CONFIG_BUCKET);
  if (bucket === undefined) return [];
  return listKeys(core, bucket, undefined).keys.map((name) => {
    const { revision, updatedAt } = shape(getEntry(core, placeOf(environmentId, name)));
    return { name, revision, updatedAt };
  });
}

/** Puts a document in the place of what was there. @returns its revision @throws ApiError invalid_argument */
export function setConfig(core: Core, tx: Tx, environmentId: string, name: string, data: JsonText): number {
  if (core.store.kv.bucket(environmentId, CONFIG_BUCKET) === undefined) {
    core.store.kv.addBucket({
      environment_id: environmentId,
      name: CONFIG_BUCKET,
      description: "",
      ttl_seconds: null,
      max_value_bytes: maxBytes,
      max_bytes: null,
      history,
      created_at: tx.nowMs,
    });
  }
  const value = Buffer.from(data.text, "utf8");
  const revision = putEntry(core, tx, placeOf(environmentId, name), value, { kind: "none" });
  const updatedAt = toTimestamp(tx.nowMs);
  announceConfig(core, tx, environmentId, { name, data, revision, updatedAt }, "updated");
  return revision;
}

/** Replaces the members that are given, of a document that is there or empty. @returns its revision */
export function patchConfig(
  core: Core,
  tx: Tx,
  environmentId: string,
  name: string,
  patch: Record<string, unknown>,
): number {
  const known = readConfig(core, environmentId, name);
  const before = known === undefined ? {} : parseExactJson(known.data.text);
  return setConfig(core, tx, environmentId, name, toJsonText({ ...(before as object), ...patch }));
}

/** Deletes a configuration; one that is not there is left so. */
export function deleteConfig(core: Core, tx: Tx, environmentId: string, name: string): void {
  if (readConfig(core, environmentId, name) === undefined) return;
  deleteEntry(core, tx, placeOf(environmentId, name), { purge: false, condition: { kind: "none" } });
  const { revision } = findBucket(core, environmentId, CONFIG_BUCKET);
  const updatedAt = toTimestamp(tx.nowMs);
  announceConfig(core, tx, environmentId, { name, data: null, revision, updatedAt }, "deleted");
}
