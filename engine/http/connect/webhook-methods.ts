import { toTimestamp } from "../../clock.ts";
import {
  ChangeSourceRequest,
  CreateSourceRequest,
  DisableVerificationRequest,
  ListDeliveriesRequest,
  ListSourcesRequest,
  RotateSecretRequest,
  SourceRequest,
  TestVerifyRequest,
  UpdateSourceRequest,
  type VerifyConfig,
} from "../../contract/webhooks.ts";
import { JsonText } from "../../json/json-text.ts";
import type { WebhookDeliveryRow, WebhookSourceRow } from "../../store/webhooks.ts";
import { namesOf, parseBody, type DeliveryNames } from "../../webhooks/delivery.ts";
import { signedId } from "../../webhooks/receive.ts";
import { computeSignature, readClaim, verifySignature } from "../../webhooks/signature.ts";
import {
  createSource,
  currentSecrets,
  deleteSource,
  disableVerification,
  expireSecretPrev,
  findSource,
  previousSecret,
  rotateSecret,
  rotateToken,
  updateSource,
  verifyConfigOf,
} from "../../webhooks/sources.ts";
import type { Call } from "../call.ts";
import { method, type ConnectMethod } from "./method.ts";

const rowsPerPage = 50;

/** What may be told about a source: never its token or secret. */
function shapeSource({ core }: Call, row: WebhookSourceRow): Record<string, unknown> {
  const config = verifyConfigOf(row);
  const previous = previousSecret(core, row, core.clock.nowMs());
  return {
    id: row.id,
    environment_id: row.environment_id,
    name: row.name,
    provider: row.provider,
    event_prefix: row.event_prefix,
    ingest_path: `/api/v1/webhooks/${row.provider}`,
    ingest_token_prefix: row.token_prefix,
    source_type: "webhook",
    metadata: row.metadata === null ? undefined : new JsonText(row.metadata),
    schema_version: row.schema_version,
    verify_secret_set: config !== undefined,
    verify_secret_prev_set: previous !== undefined,
    verify_secret_prev_expires_at:
      previous?.expires_at == null ? undefined : toTimestamp(previous.expires_at),
    verify_header: config?.signatureHeader,
    verify_algorithm: config?.algorithm,
    verify_config: config && {
      signature_header: config.signatureHeader,
      entry_separator: config.entrySeparator,
      kv_delimiter: config.kvDelimiter,
      signature_key: config.signatureKey,
      timestamp_header: config.timestampHeader,
      timestamp_key: config.timestampKey,
      signing_template: config.signingTemplate,
      encoding: config.encoding,
      algorithm: config.algorithm,
      tolerance_seconds: config.toleranceSeconds,
      event_name_path: config.eventNamePath,
      dedup_id_path: config.dedupIdPath,
    },
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

const shapeDelivery = (row: WebhookDeliveryRow) => ({
  id: row.id,
  source_id: row.source_id,
  external_id: row.delivery_key,
  status: row.outcome,
  error: row.outcome === "rejected" ? row.reason : "",
  signature_key: row.signature_key,
  event_id: row.event_id,
  event_name: row.event_name,
  created_at: toTimestamp(row.received_at),
});

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** `ironflow.v1.WebhookService`, section 2.14. It answers in snake_case. */
export const webhookMethods: Record<string, ConnectMethod> = {
  CreateWebhookSource: method(
    CreateSourceRequest,
    async (call, input) => {
      const { core, environment } = call;
      const made = await core.writer.write((tx) => createSource(core, tx, environment.id, input));
      return { ...shapeSource(call, made.source), ingest_token: made.token };
    },
    ["metadata"],
  ),
  GetWebhookSource: method(SourceRequest, (call, { id }) =>
    shapeSource(call, findSource(call.core, call.environment.id, id)),
  ),
  ListWebhookSources: method(ListSourcesRequest, (call, { limit, offset }) => {
    const rows = call.core.store.webhooks.list(call.environment.id);
    const from = offset ?? 0;
    return {
      sources: rows.slice(from, from + (limit || rowsPerPage)).map((row) => shapeSource(call, row)),
      total_count: rows.length,
    };
  }),
  UpdateWebhookSource: method(
    UpdateSourceRequest,
    async (call, input) => {
      const { core, environment } = call;
      return shapeSource(
        call,
        await core.writer.write((tx) => updateSource(core, tx, environment.id, input)),
      );
    },
    ["metadata"],
  ),
  DeleteWebhookSource: method(SourceRequest, async ({ core, environment }, { id }) => {
    await core.writer.write((tx) => deleteSource(core, tx, environment.id, id));
    return {};
  }),
  RotateWebhookSecret: method(RotateSecretRequest, async (call, input) => {
    const { core, environment } = call;
    return shapeSource(call, await core.writer.write((tx) => rotateSecret(core, tx, environment.id, input)));
  }),
  ExpireWebhookSecretPrev: method(ChangeSourceRequest, async (call, input) => {
    const { core, environment } = call;
    return shapeSource(
      call,
      await core.writer.write((tx) => expireSecretPrev(core, tx, environment.id, input)),
    );
  }),
  DisableWebhookSignatureVerification: method(DisableVerificationRequest, async (call, input) => {
    const { core, environment } = call;
    return shapeSource(
      call,
      await core.writer.write((tx) => disableVerification(core, tx, environment.id, input)),
    );
  }),
  RotateWebhookIngestToken: method(ChangeSourceRequest, async (call, input) => {
    const { core, environment } = call;
    const { source, token } = await core.writer.write((tx) => rotateToken(core, tx, environment.id, input));
    return { ...shapeSource(call, source), ingest_token: token };
  }),
  TestWebhookVerifyConfig: method(
    TestVerifyRequest,
    ({ core, environment }, { verifyConfig: config, verifySecret, sourceId, headers, body }) => {
      const nowMs = core.clock.nowMs();
      const secrets = verifySecret
        ? [verifySecret]
        : currentSecrets(core, findSource(core, environment.id, sourceId ?? ""), nowMs).map(
            ({ secret }) => secret,
          );
      const lower = lowerCased(headers ?? {});
      const bytes = Buffer.from(body ?? "", "utf8");
      const claim = readClaim(config, lower, signedId(config, lower, bytes));
      const verdict = verifySignature(config, secrets, claim, bytes, nowMs);
      const names = readNames(config, lower, bytes);
      const [secret] = secrets;
      return {
        verified: verdict.ok,
        error: verdict.ok ? "" : verdict.reason,
        signing_string: claim.before + (body ?? "") + claim.after,
        computed_signature:
          secret === undefined
            ? ""
            : computeSignature(config, secret, claim, bytes).toString(config.encoding),
        presented_signatures: claim.signatures,
        resolved_timestamp: claim.time,
        resolved_event_name: names.type,
        resolved_dedup_id: names.id,
      };
    },
    ["headers"],
  ),
  ListWebhookDeliveries: method(ListDeliveriesRequest, ({ core, environment }, input) => {
    const filter = {
      environmentId: environment.id,
      sourceId: input.sourceId || undefined,
      outcome: input.status || undefined,
    };
    const page = { limit: input.limit || rowsPerPage, offset: input.offset ?? 0 };
    return {
      deliveries: core.store.webhooks.deliveries(filter, page).map(shapeDelivery),
      total_count: core.store.webhooks.countDeliveries(filter),
    };
  }),
};

/** What a delivery says about itself; nothing when its body cannot be read. */
function readNames(
  config: VerifyConfig,
  headers: Record<string, string>,
  body: Buffer,
): Partial<DeliveryNames> {
  try {
    return namesOf(config, headers, parseBody(headers, body));
  } catch {
    return {};
  }
}
