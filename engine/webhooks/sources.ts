import { randomBytes } from "node:crypto";
import type * as z from "zod/v4";
import { hashToken, makeToken } from "../../loopback/token.ts";
import {
  defaultVerifyConfig,
  VerifyConfig,
  WEBHOOK_LIMITS,
  type CreateSourceRequest,
  type RotateSecretRequest,
  type UpdateSourceRequest,
} from "../contract/webhooks.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import { encrypt, openSealed } from "../secrets/cipher.ts";
import { SEALED_NAME_PREFIX } from "../store/sealed.ts";
import type { WebhookSecretRow, WebhookSourceRow } from "../store/webhooks.ts";
import type { Tx } from "../store/writer.ts";

/** What the token of a source begins with. */
export const WEBHOOK_TOKEN_PREFIX = "ifwh_";

/** The place of a source's key among those that are encrypted. No secret has a name with a colon. */
const placeOf = (source: Pick<WebhookSourceRow, "environment_id" | "id">, revision: number) => ({
  environment_id: source.environment_id,
  name: `${SEALED_NAME_PREFIX.webhook_secrets}${source.id}`,
  revision,
});

/** @throws ApiError not_found */
export function findSource(core: Core, environmentId: string, id: string): WebhookSourceRow {
  const row = core.store.webhooks.get(environmentId, id);
  if (row === undefined) throw new ApiError("not_found", "webhook source not found");
  return row;
}

/**
 * Its token is told once. Without a secret deliveries are let in by the token alone.
 * @throws ApiError already_exists, resource_exhausted
 */
export function createSource(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.infer<typeof CreateSourceRequest>,
): { source: WebhookSourceRow; token: string } {
  const { webhooks } = core.store;
  const others = webhooks.list(environmentId);
  if (others.some((other) => other.provider === wanted.provider))
    throw new ApiError("already_exists", `provider: there is a source for ${wanted.provider}`);
  if (others.length >= WEBHOOK_LIMITS.sourcesPerEnvironment)
    throw new ApiError("resource_exhausted", `more than ${WEBHOOK_LIMITS.sourcesPerEnvironment} sources`);
  if (wanted.verifyConfig !== undefined && wanted.secret === undefined)
    throw new ApiError("invalid_argument", "secret: missing, and verify_config needs one");
  const token = makeToken(WEBHOOK_TOKEN_PREFIX);
  const { provider } = wanted;
  const source: WebhookSourceRow = {
    id: core.ids.next("wh"),
    environment_id: environmentId,
    name: wanted.name ?? provider,
    provider,
    event_prefix: wanted.eventPrefix ?? provider,
    token_hash: hashToken(token),
    verify: null,
    revision: 0,
    created_at: tx.nowMs,
    updated_at: tx.nowMs,
  };
  webhooks.insert(source);
  const { secret } = wanted;
  const made =
    secret === undefined
      ? source
      : putSecret(core, tx, source, secret, wanted.verifyConfig ?? defaultVerifyConfig(provider));
  tell(core, tx, made, "created");
  return { source: made, token };
}

/** @throws ApiError not_found, failed_precondition */
export function updateSource(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.infer<typeof UpdateSourceRequest>,
): WebhookSourceRow {
  const known = findSource(core, environmentId, wanted.id);
  if (wanted.verifyConfig !== undefined && known.verify === null)
    throw new ApiError("failed_precondition", "verify_config: the source has no secret; rotate it first");
  const source = {
    ...known,
    name: wanted.name ?? known.name,
    event_prefix: wanted.eventPrefix ?? known.event_prefix,
    verify: wanted.verifyConfig === undefined ? known.verify : JSON.stringify(wanted.verifyConfig),
    updated_at: tx.nowMs,
  };
  core.store.webhooks.update(source);
  tell(core, tx, source, "updated");
  return source;
}

/** @throws ApiError not_found */
export function deleteSource(core: Core, tx: Tx, environmentId: string, id: string): void {
  const source = findSource(core, environmentId, id);
  erase(core, tx, () => core.store.webhooks.delete(id));
  tell(core, tx, source, "deleted");
}

/**
 * Gives a source another secret; the one before is accepted for the grace period, those before it end now. A source that
 * asked for no signature does from now on.
 * @returns the secret when it was made here; it is told once
 * @throws ApiError not_found
 */
export function rotateSecret(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.infer<typeof RotateSecretRequest>,
): { source: WebhookSourceRow; secret: string | undefined } {
  const known = findSource(core, environmentId, wanted.id);
  const made = wanted.secret === undefined ? randomBytes(32).toString("hex") : undefined;
  const graceMs = (wanted.gracePeriodSeconds ?? WEBHOOK_LIMITS.defaultGraceSeconds) * 1000;
  erase(core, tx, () => {
    core.store.webhooks.deleteSecretsBefore(known.id, graceMs === 0 ? known.revision + 1 : known.revision);
    core.store.webhooks.expireSecret(known.id, known.revision, tx.nowMs + graceMs);
  });
  const config = verifyConfigOf(known) ?? defaultVerifyConfig(known.provider);
  const source = putSecret(core, tx, known, wanted.secret ?? made ?? "", config);
  tell(core, tx, source, "secret_rotated");
  return { source, secret: made };
}

/** The secret that was rotated away ends now. @throws ApiError not_found */
export function expireSecretPrev(core: Core, tx: Tx, environmentId: string, id: string): WebhookSourceRow {
  const source = findSource(core, environmentId, id);
  erase(core, tx, () => core.store.webhooks.deleteSecretsBefore(id, source.revision));
  tell(core, tx, source, "secret_prev_expired");
  return source;
}

/** Deliveries are let in by the token alone; the secrets are removed. @throws ApiError not_found */
export function disableVerification(core: Core, tx: Tx, environmentId: string, id: string): WebhookSourceRow {
  const known = findSource(core, environmentId, id);
  const source = { ...known, verify: null, updated_at: tx.nowMs };
  erase(core, tx, () => core.store.webhooks.deleteSecretsBefore(id, known.revision + 1));
  core.store.webhooks.update(source);
  tell(core, tx, source, "verification_disabled");
  return source;
}

/** The old token ends now; the new one is told once. @throws ApiError not_found */
export function rotateToken(
  core: Core,
  tx: Tx,
  environmentId: string,
  id: string,
): { source: WebhookSourceRow; token: string } {
  const token = makeToken(WEBHOOK_TOKEN_PREFIX);
  const source = {
    ...findSource(core, environmentId, id),
    token_hash: hashToken(token),
    updated_at: tx.nowMs,
  };
  core.store.webhooks.update(source);
  tell(core, tx, source, "token_rotated");
  return { source, token };
}

/** Undefined when no signature is asked for. */
export function verifyConfigOf(source: WebhookSourceRow): VerifyConfig | undefined {
  return source.verify === null ? undefined : VerifyConfig.parse(JSON.parse(source.verify));
}

/** The secret that was rotated away and still counts. */
export function previousSecret(
  core: Core,
  source: WebhookSourceRow,
  nowMs: number,
): WebhookSecretRow | undefined {
  return core.store.webhooks
    .secrets(source.id)
    .find((row) => row.expires_at !== null && row.expires_at > nowMs);
}

/** The secrets a delivery may be signed with now; those that no key of this engine opens are left out. */
export function currentSecrets(core: Core, source: WebhookSourceRow, nowMs: number): string[] {
  return core.store.webhooks
    .secrets(source.id)
    .filter((row) => row.expires_at === null || row.expires_at > nowMs)
    .flatMap((row) => openSealed(core.secretsKeys, { ...row, ...placeOf(source, row.revision) }) ?? []);
}

function putSecret(
  core: Core,
  tx: Tx,
  known: WebhookSourceRow,
  secret: string,
  config: VerifyConfig,
): WebhookSourceRow {
  const revision = known.revision + 1;
  core.store.webhooks.addSecret({
    source_id: known.id,
    revision,
    ...encrypt(core.secretsKeys.current, placeOf(known, revision), secret),
    expires_at: null,
  });
  const source = { ...known, revision, verify: JSON.stringify(config), updated_at: tx.nowMs };
  core.store.webhooks.update(source);
  return source;
}

/** An old secret is not left in the file, encrypted or not. */
function erase(core: Core, tx: Tx, work: () => void): void {
  tx.afterCommit(() => core.logEmptier.empty());
  core.store.db.erasing(work);
}

function tell(core: Core, tx: Tx, source: WebhookSourceRow, action: string): void {
  auditOther(core, tx, {
    environmentId: source.environment_id,
    eventType: `webhook.${action}`,
    payload: { id: source.id, name: source.name, provider: source.provider },
  });
}
