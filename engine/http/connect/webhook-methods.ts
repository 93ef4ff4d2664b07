import { toTimestamp } from "../../clock.ts";
import {
  CreateSourceRequest,
  ListDeliveriesRequest,
  RotateSecretRequest,
  SourceRequest,
  TestVerifyRequest,
  UpdateSourceRequest,
} from "../../contract/webhooks.ts";
import * as z from "zod/v4";
import { ApiError } from "../../errors.ts";
import type { WebhookDeliveryRow, WebhookSourceRow } from "../../store/webhooks.ts";
import { verifySignature } from "../../webhooks/signature.ts";
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

const deliveriesPerPage = 50;

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
    signature_verification: config !== undefined,
    verify_config: config && {
      scheme: config.scheme,
      header: config.header,
      algorithm: config.algorithm,
      encoding: config.encoding,
      prefix: config.prefix,
      timestamp_header: config.timestampHeader,
      tolerance_seconds: config.toleranceSeconds,
    },
    secret_prev_expires_at: previous?.expires_at == null ? undefined : toTimestamp(previous.expires_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

const shapeDelivery = (row: WebhookDeliveryRow) => ({
  id: row.id,
  source_id: row.source_id,
  delivery_key: row.delivery_key,
  outcome: row.outcome,
  reason: row.reason,
  event_id: row.event_id,
  event_name: row.event_name,
  received_at: toTimestamp(row.received_at),
});

/** `ironflow.v1.WebhookService`, section 2.14. It answers in snake_case. */
export const webhookMethods: Record<string, ConnectMethod> = {
  CreateWebhookSource: method(CreateSourceRequest, async (call, input) => {
    const { core, environment } = call;
    const made = await core.writer.write((tx) => createSource(core, tx, environment.id, input));
    return { source: shapeSource(call, made.source), ingest_token: made.token };
  }),
  GetWebhookSource: method(SourceRequest, (call, { id }) => ({
    source: shapeSource(call, findSource(call.core, call.environment.id, id)),
  })),
  ListWebhookSources: method(z.strictObject({}), (call) => {
    const rows = call.core.store.webhooks.list(call.environment.id);
    return { sources: rows.map((row) => shapeSource(call, row)), total_count: rows.length };
  }),
  UpdateWebhookSource: method(UpdateSourceRequest, async (call, input) => {
    const { core, environment } = call;
    const row = await core.writer.write((tx) => updateSource(core, tx, environment.id, input));
    return { source: shapeSource(call, row) };
  }),
  DeleteWebhookSource: method(SourceRequest, async ({ core, environment }, { id }) => {
    await core.writer.write((tx) => deleteSource(core, tx, environment.id, id));
    return {};
  }),
  RotateWebhookSecret: method(RotateSecretRequest, async (call, input) => {
    const { core, environment } = call;
    const { source, secret } = await core.writer.write((tx) => rotateSecret(core, tx, environment.id, input));
    return { source: shapeSource(call, source), secret };
  }),
  ExpireWebhookSecretPrev: method(SourceRequest, async (call, { id }) => {
    const { core, environment } = call;
    const row = await core.writer.write((tx) => expireSecretPrev(core, tx, environment.id, id));
    return { source: shapeSource(call, row) };
  }),
  DisableWebhookSignatureVerification: method(SourceRequest, async (call, { id }) => {
    const { core, environment } = call;
    const row = await core.writer.write((tx) => disableVerification(core, tx, environment.id, id));
    return { source: shapeSource(call, row) };
  }),
  RotateWebhookIngestToken: method(SourceRequest, async (call, { id }) => {
    const { core, environment } = call;
    const { source, token } = await core.writer.write((tx) => rotateToken(core, tx, environment.id, id));
    return { source: shapeSource(call, source), ingest_token: token };
  }),
  TestWebhookVerifyConfig: method(
    TestVerifyRequest,
    ({ core, environment }, { id, verifyConfig, secret, headers, body }) => {
      const source = findSource(core, environment.id, id);
      const config = verifyConfig ?? verifyConfigOf(source);
      if (config === undefined)
        throw new ApiError("failed_precondition", "verify_config: missing, and the source has none");
      const nowMs = core.clock.nowMs();
      const lower = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const secrets = secret === undefined ? currentSecrets(core, source, nowMs) : [secret];
      const verdict = verifySignature(config, secrets, lower, Buffer.from(body, "utf8"), nowMs);
      return { valid: verdict.ok, reason: verdict.ok ? "" : verdict.reason };
    },
    ["headers"],
  ),
  ListWebhookDeliveries: method(ListDeliveriesRequest, ({ core, environment }, input) => {
    const limit = input.limit || deliveriesPerPage;
    const rows = core.store.webhooks.deliveries({
      environmentId: environment.id,
      sourceId: input.sourceId,
      outcome: input.outcome,
      eventName: input.eventName,
      beforeSeq: input.cursor === undefined || input.cursor === "" ? undefined : Number(input.cursor),
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      deliveries: shown.map(shapeDelivery),
      next_cursor: last === undefined ? "" : String(last.seq),
    };
  }),
};
