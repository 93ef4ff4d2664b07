import type { DeliveryOutcome } from "../contract/webhooks.ts";
import type { Bindable, Database } from "./database.ts";
import type { Sealed } from "./sealed.ts";

export interface WebhookSourceRow {
  id: string;
  environment_id: string;
  name: string;
  provider: string;
  event_prefix: string;
  token_hash: string;
  /** The beginning of the token, for people to tell it by. */
  token_prefix: string;
  /** JSON text of how deliveries are signed; null when no signature is asked for. */
  verify: string | null;
  /** That of its newest secret; 0 before the first. */
  revision: number;
  /** JSON text of an object. */
  metadata: string | null;
  /** The version that its events have. */
  schema_version: number;
  created_at: number;
  updated_at: number;
}

/** A key that deliveries are signed with, stored encrypted as secrets are. */
export interface WebhookSecretRow extends Sealed {
  source_id: string;
  revision: number;
  /** When a key that was rotated away ends; null for the one in use. */
  expires_at: number | null;
}

export interface WebhookDeliveryRow {
  seq: number;
  id: string;
  environment_id: string;
  source_id: string;
  /** What the provider calls the delivery; null when it names none. */
  delivery_key: string | null;
  outcome: DeliveryOutcome;
  reason: string;
  /** Which secret made its signature. */
  signature_key: string;
  event_id: string | null;
  event_name: string | null;
  received_at: number;
}

export interface DeliveryFilter {
  environmentId: string;
  sourceId?: string | undefined;
  outcome?: DeliveryOutcome | undefined;
}

export interface WebhookTable {
  get(environmentId: string, id: string): WebhookSourceRow | undefined;
  byToken(tokenHash: string): WebhookSourceRow | undefined;
  /** Those of all environments. */
  byProvider(providerOrId: string): WebhookSourceRow[];
  /** In order of provider. */
  list(environmentId: string): WebhookSourceRow[];
  insert(row: WebhookSourceRow): void;
  update(row: WebhookSourceRow): void;
  /** The source and its secrets; what became of its deliveries stays. */
  delete(id: string): void;
  /** The newest first. */
  secrets(sourceId: string): WebhookSecretRow[];
  addSecret(row: WebhookSecretRow): void;
  /** Lets a secret end at a moment. */
  expireSecret(sourceId: string, revision: number, atMs: number): void;
  /** Removes the secrets of before this revision. */
  deleteSecretsBefore(sourceId: string, revision: number): void;
  accepted(sourceId: string, deliveryKey: string): WebhookDeliveryRow | undefined;
  addDelivery(row: Omit<WebhookDeliveryRow, "seq">): void;
  /** Keeps the newest `keep` of a source's deliveries that were refused or repeated. */
  trimRefused(sourceId: string, keep: number): void;
  /** The newest first. */
  deliveries(filter: DeliveryFilter, page: { limit: number; offset: number }): WebhookDeliveryRow[];
  countDeliveries(filter: DeliveryFilter): number;
  /** Which source has sent which event, in order. */
  edges(environmentId: string): { source_id: string; event: string }[];
}

export function createWebhookTable(db: Database): WebhookTable {
  const get = db.prepare<WebhookSourceRow>(
    "select * from webhook_sources where environment_id = ? and id = ?",
  );
  const byToken = db.prepare<WebhookSourceRow>("select * from webhook_sources where token_hash = ?");
  const byProvider = db.prepare<WebhookSourceRow>(
    "select * from webhook_sources where provider = ?1 or id = ?1 order by id",
  );
  const list = db.prepare<WebhookSourceRow>(
    "select * from webhook_sources where environment_id = ? order by provider",
  );
  const insert = db.prepare(
    `insert into webhook_sources
       (id, environment_id, name, provider, event_prefix, token_hash, token_prefix, verify, revision, metadata,
        schema_version, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `update webhook_sources set name = ?, token_hash = ?, token_prefix = ?, verify = ?, revision = ?, metadata = ?,
       schema_version = ?, updated_at = ? where id = ?`,
  );
  const remove = db.prepare("delete from webhook_sources where id = ?");
  const secrets = db.prepare<WebhookSecretRow>(
    "select * from webhook_secrets where source_id = ? order by revision desc",
  );
  const addSecret = db.prepare(
    `insert into webhook_secrets (source_id, revision, key_id, nonce, ciphertext, expires_at)
     values (?, ?, ?, ?, ?, ?)`,
  );
  const expireSecret = db.prepare(
    "update webhook_secrets set expires_at = ? where source_id = ? and revision = ?",
  );
  const removeSecrets = db.prepare("delete from webhook_secrets where source_id = ? and revision < ?");
  const accepted = db.prepare<WebhookDeliveryRow>(
    "select * from webhook_deliveries where source_id = ? and delivery_key = ? and outcome = 'accepted'",
  );
  const addDelivery = db.prepare(
    `insert into webhook_deliveries
       (id, environment_id, source_id, delivery_key, outcome, reason, signature_key, event_id, event_name, received_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const trim = db.prepare(
    `delete from webhook_deliveries where source_id = ? and outcome <> 'accepted' and seq <=
       (select seq from webhook_deliveries where source_id = ? and outcome <> 'accepted' order by seq desc limit 1 offset ?)`,
  );
  const edges = db.prepare<{ source_id: string; event: string }>(
    `select e.source_id, e.event_name as event from webhook_edges e join webhook_sources s on s.id = e.source_id
     where s.environment_id = ? order by e.source_id, e.event_name`,
  );
  const where = "environment_id = ?1 and (?2 is null or source_id = ?2) and (?3 is null or outcome = ?3)";
  const deliveries = db.prepare<WebhookDeliveryRow>(
    `select * from webhook_deliveries where ${where} order by seq desc limit ?4 offset ?5`,
  );
  const countOf = db.prepare<{ n: number }>(`select count(*) as n from webhook_deliveries where ${where}`);
  const valuesOf = (f: DeliveryFilter) =>
    [f.environmentId, f.sourceId ?? null, f.outcome ?? null] satisfies Bindable[];
  return {
    get: (environmentId, id) => get.get(environmentId, id),
    byToken: (tokenHash) => byToken.get(tokenHash),
    byProvider: (provider) => byProvider.all(provider),
    list: (environmentId) => list.all(environmentId),
    insert: (r) => {
      insert.run(
        r.id,
        r.environment_id,
        r.name,
        r.provider,
        r.event_prefix,
        r.token_hash,
        r.token_prefix,
        r.verify,
        r.revision,
        r.metadata,
        r.schema_version,
        r.created_at,
        r.updated_at,
      );
    },
    update: (r) => {
      update.run(
        r.name,
        r.token_hash,
        r.token_prefix,
        r.verify,
        r.revision,
        r.metadata,
        r.schema_version,
        r.updated_at,
        r.id,
      );
    },
    delete: (id) => {
      removeSecrets.run(id, Number.MAX_SAFE_INTEGER);
      remove.run(id);
    },
    secrets: (sourceId) => secrets.all(sourceId),
    addSecret: (r) => {
      addSecret.run(r.source_id, r.revision, r.key_id, r.nonce, r.ciphertext, r.expires_at);
    },
    expireSecret: (sourceId, revision, atMs) => {
      expireSecret.run(atMs, sourceId, revision);
    },
    deleteSecretsBefore: (sourceId, revision) => {
      removeSecrets.run(sourceId, revision);
    },
    accepted: (sourceId, deliveryKey) => accepted.get(sourceId, deliveryKey),
    addDelivery: (r) => {
      addDelivery.run(
        r.id,
        r.environment_id,
        r.source_id,
        r.delivery_key,
        r.outcome,
        r.reason,
        r.signature_key,
        r.event_id,
        r.event_name,
        r.received_at,
      );
    },
    trimRefused: (sourceId, keep) => {
      trim.run(sourceId, sourceId, keep);
    },
    deliveries: (f, page) => deliveries.all(...valuesOf(f), page.limit, page.offset),
    countDeliveries: (f) => countOf.get(...valuesOf(f))?.n ?? 0,
    edges: (environmentId) => edges.all(environmentId),
  };
}
