import type * as z from "zod/v4";
import { hashToken, makeToken } from "../../loopback/token.ts";
import {
  defaultVerifyConfig,
  VerifyConfig,
  WEBHOOK_LIMITS,
  type ChangeSourceRequest,
  type CreateSourceRequest,
  type DisableVerificationRequest,
  type RotateSecretRequest,
  type UpdateSourceRequest,
} from "../contract/webhooks.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import { toJsonText } from "../json/json-text.ts";
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

/** @throws ApiError not_found; aborted when the source is not the one that the caller knows */
function findUnchanged(
  core: Core,
  environmentId: string,
  wanted: { id: string; expectedUpdatedAt?: string | undefined },
): WebhookSourceRow {
  const row = findSource(core, environmentId, wanted.id);
  if (wanted.expectedUpdatedAt !== undefined && Date.parse(wanted.expectedUpdatedAt) !== row.updated_at)
    throw new ApiError("aborted", "expected_updated_at: the source was changed since");
  return row;
}

/**
 * Makes a change to a source, and tells of it as `action`. `change` answers with what is different afterwards.
 * @throws ApiError not_found; aborted when the source is not the one that the caller knows
 */
function changeSource(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: { id: string; expectedUpdatedAt?: string | undefined },
  action: string,
  change: (known: WebhookSourceRow) => Partial<WebhookSourceRow>,
): WebhookSourceRow {
  const known = findUnchanged(core, environmentId, wanted);
  // Two changes of one millisecond are told apart by it.
  const changedAt = Math.max(tx.nowMs, known.updated_at + 1);
  const source = { ...known, ...change(known), updated_at: changedAt };
  core.store.webhooks.update(source);
  tell(core, tx, source, action);
  return source;
}

/** How a source is verified that says it in fields of its own or of before; undefined when it says nothing. */
function configOf(wanted: {
  verifyConfig?: VerifyConfig | undefined;
  verifyHeader: string;
  verifyAlgorithm?: string | undefined;
}): VerifyConfig | undefined {
  if (wanted.verifyConfig !== undefined) return wanted.verifyConfig;
  if (wanted.verifyHeader === "") return undefined;
  return VerifyConfig.parse({
    signatureHeader: wanted.verifyHeader,
    algorithm: wanted.verifyAlgorithm ?? "",
  });
}

/**
 * Its token is told once. Without a secret deliveries are let in by the token alone.
 * @throws ApiError already_exists, resource_exhausted, invalid_argument
 */
export function createSource(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.output<typeof CreateSourceRequest>,
): { source: WebhookSourceRow; token: string } {
  const { webhooks } = core.store;
  const id = core.ids.next("wh");
  const provider = wanted.provider ?? id;
  const others = webhooks.list(environmentId);
  if (others.some((other) => other.provider === provider))
    throw new ApiError("already_exists", `provider: there is a source for ${provider}`);
  if (others.length >= WEBHOOK_LIMITS.sourcesPerEnvironment)
    throw new ApiError("resource_exhausted", `more than ${WEBHOOK_LIMITS.sourcesPerEnvironment} sources`);
  const prefix = wanted.eventPrefix || wanted.provider;
  if (prefix === undefined) throw new ApiError("invalid_argument", "event_prefix: missing");
  const config = configOf(wanted);
  const secret = wanted.verifySecret === "" ? undefined : wanted.verifySecret;
  if (config !== undefined && secret === undefined)
    throw new ApiError("invalid_argument", "verify_secret: missing, and how to verify is said");
  const token = makeToken(WEBHOOK_TOKEN_PREFIX);
  const source: WebhookSourceRow = {
    id,
    environment_id: environmentId,
    name: wanted.name || provider,
    provider,
    event_prefix: prefix,
    token_hash: hashToken(token),
    token_prefix: shownOf(token),
    verify: secret === undefined ? null : JSON.stringify(config ?? defaultVerifyConfig(provider)),
    revision: secret === undefined ? 0 : 1,
    metadata: wanted.metadata === undefined ? null : toJsonText(wanted.metadata).text,
    schema_version: wanted.schemaVersion || 1,
    created_at: tx.nowMs,
    updated_at: tx.nowMs,
  };
  webhooks.insert(source);
  if (secret !== undefined) addSecret(core, source, source.revision, secret);
  tell(core, tx, source, "created");
  return { source, token };
}

/** What a person sees of a token: enough to tell it from others. */
const shownOf = (token: string) => token.slice(0, WEBHOOK_TOKEN_PREFIX.length + 8);

/** What is left out stays as it is. @throws ApiError not_found, aborted, failed_precondition */
export function updateSource(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.output<typeof UpdateSourceRequest>,
): WebhookSourceRow {
  return changeSource(core, tx, environmentId, wanted, "updated", (known) => {
    const config = configOf(wanted);
    if (config !== undefined && known.verify === null)
      throw new ApiError("failed_precondition", "verify_config: the source has no secret; rotate it first");
    return {
      name: wanted.name || known.name,
      verify: config === undefined ? known.verify : JSON.stringify(config),
      metadata: wanted.metadata === undefined ? known.metadata : toJsonText(wanted.metadata).text,
      schema_version: wanted.schemaVersion || known.schema_version,
    };
  });
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
 * @throws ApiError not_found, aborted
 */
export function rotateSecret(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.output<typeof RotateSecretRequest>,
): WebhookSourceRow {
  return changeSource(core, tx, environmentId, wanted, "secret_rotated", (known) => {
    const graceMs = (wanted.graceSeconds ?? WEBHOOK_LIMITS.defaultGraceSeconds) * 1000;
    erase(core, tx, () => {
      core.store.webhooks.deleteSecretsBefore(known.id, graceMs === 0 ? known.revision + 1 : known.revision);
      core.store.webhooks.expireSecret(known.id, known.revision, tx.nowMs + graceMs);
    });
    const revision = known.revision + 1;
    addSecret(core, known, revision, wanted.verifySecret);
    return { verify: known.verify ?? JSON.stringify(defaultVerifyConfig(known.provider)), revision };
  });
}

/** The secret that was rotated away ends now. @throws ApiError not_found, aborted */
export function expireSecretPrev(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.output<typeof ChangeSourceRequest>,
): WebhookSourceRow {
  return changeSource(core, tx, environmentId, wanted, "secret_prev_expired", (known) => {
    erase(core, tx, () => core.store.webhooks.deleteSecretsBefore(known.id, known.revision));
    return {};
  });
}

/** Deliveries are let in by the token alone; the secrets are removed. @throws ApiError not_found, aborted */
export function disableVerification(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.output<typeof DisableVerificationRequest>,
): WebhookSourceRow {
  return changeSource(core, tx, environmentId, wanted, "verification_disabled", (known) => {
    erase(core, tx, () => core.store.webhooks.deleteSecretsBefore(known.id, known.revision + 1));
    return { verify: null };
  });
}

/** The old token ends now; the new one is told once. @throws ApiError not_found, aborted */
export function rotateToken(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: z.output<typeof ChangeSourceRequest>,
): { source: WebhookSourceRow; token: string } {
  const token = makeToken(WEBHOOK_TOKEN_PREFIX);
  const source = changeSource(core, tx, environmentId, wanted, "token_rotated", () => ({
    token_hash: hashToken(token),
    token_prefix: shownOf(token),
  }));
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

/** A secret that deliveries may be signed with now. */
export interface CurrentSecret {
  secret: string;
  /** It was rotated away and still counts. */
  isPrevious: boolean;
}

/** The newest first; those that no key of this engine opens are left out. */
export function currentSecrets(core: Core, source: WebhookSourceRow, nowMs: number): CurrentSecret[] {
  return core.store.webhooks
    .secrets(source.id)
    .filter((row) => row.expires_at === null || row.expires_at > nowMs)
    .flatMap((row) => {
      const secret = openSealed(core.secretsKeys, { ...row, ...placeOf(source, row.revision) });
      return secret === undefined ? [] : [{ secret, isPrevious: row.expires_at !== null }];
    });
}

function addSecret(core: Core, source: WebhookSourceRow, revision: number, secret: string): void {
  core.store.webhooks.addSecret({
    source_id: source.id,
    revision,
    ...encrypt(core.secretsKeys.current, placeOf(source, revision), secret),
    expires_at: null,
  });
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
