import type { Core } from "../core.ts";
import { auditOther } from "./audit.ts";
import type { Tx } from "../store/writer.ts";

/** What the audit tells of keys and of who was refused. Every such row's type begins like this. */
export const AUTH_PREFIX = "auth.";

export interface AuthEvent {
  /** The environment of the key that it is about. */
  environmentId: string;
  /** The environment the engine serves: its keys look after the others, so its audit tells of all. */
  servedId: string;
  eventType: `auth.${"key_created" | "key_revoked" | "failed" | "denied"}`;
  payload: Record<string, unknown>;
}

const keyIdDigits = 12;

/** Tells keys apart, and is no key. */
export const apiKeyId = (hash: string): string => `key:${hash.slice(0, keyIdDigits)}`;

export function auditAuth(core: Core, tx: Tx, event: AuthEvent): void {
  const payload = { environment_id: event.environmentId, ...event.payload };
  for (const environmentId of new Set([event.servedId, event.environmentId])) {
    auditOther(core, tx, { environmentId, eventType: event.eventType, payload });
  }
}

/** Stores the hash of a new key. */
export function addKey(
  core: Core,
  tx: Tx,
  place: Pick<AuthEvent, "environmentId" | "servedId">,
  key: { hash: string; name: string },
): void {
  core.store.environments.addKey(key.hash, place.environmentId, key.name, tx.nowMs);
  const payload = { api_key_id: apiKeyId(key.hash), name: key.name };
  auditAuth(core, tx, { ...place, eventType: "auth.key_created", payload });
}

/** The keys of an environment are no longer good. */
export function revokeKeys(core: Core, tx: Tx, place: Pick<AuthEvent, "environmentId" | "servedId">): void {
  for (const { hash, name } of core.store.environments.keys(place.environmentId)) {
    const payload = { api_key_id: apiKeyId(hash), name };
    auditAuth(core, tx, { ...place, eventType: "auth.key_revoked", payload });
  }
  core.store.environments.deleteKeys(place.environmentId);
}
