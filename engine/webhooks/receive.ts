import type { IncomingHttpHeaders } from "node:http";
import { hashToken } from "../../loopback/token.ts";
import { EventName } from "../contract/ids.ts";
import { WEBHOOK_LIMITS, type SignatureKey, type VerifyConfig } from "../contract/webhooks.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { emitEvent } from "../execute/emit.ts";
import { encodeJson, JsonText, toJsonText } from "../json/json-text.ts";
import type { WebhookDeliveryRow, WebhookSourceRow } from "../store/webhooks.ts";
import type { Tx } from "../store/writer.ts";
import { currentSecrets, verifyConfigOf, WEBHOOK_TOKEN_PREFIX } from "./sources.ts";
import { namesOf, parseBody, shortened } from "./delivery.ts";
import { readClaim, verifySignature } from "./signature.ts";

export interface Delivery {
  provider: string;
  /** The bearer token that came along. */
  token: string | undefined;
  headers: IncomingHttpHeaders;
  /** JSON in UTF-8 or a form, or nothing. */
  body: Buffer;
}

export interface Received {
  deliveryId: string;
  eventId: string;
  /** It had come before; nothing was done. */
  duplicate: boolean;
}

/**
 * Takes a delivery in: its event and the note of it are one change, on disk before this resolves.
 * @throws ApiError unauthenticated, the same whatever is wrong with token or signature; invalid_argument
 */
export async function receiveDelivery(core: Core, delivery: Delivery): Promise<Received> {
  const { source, signedWith } = await admit(core, delivery);
  let read: ReturnType<typeof readDelivery>;
  try {
    read = readDelivery(source, delivery);
  } catch (error) {
    if (error instanceof ApiError) await noteRejected(core, source, error.message, signedWith);
    throw error;
  }
  const { key, eventName, data } = read;
  return core.writer.write((tx) => {
    if (core.store.webhooks.get(source.environment_id, source.id) === undefined) throw unknown();
    const before = key === null ? undefined : core.store.webhooks.accepted(source.id, key);
    const id = core.ids.next("whd");
    const noted = { id, delivery_key: key, signature_key: signedWith };
    if (before !== undefined) {
      note(core, tx, source, {
        ...noted,
        outcome: "duplicate",
        reason: `repeats ${before.id}`,
        event_id: before.event_id,
        event_name: before.event_name,
      });
      return { deliveryId: before.id, eventId: before.event_id ?? "", duplicate: true };
    }
    const { eventId } = emitEvent(core, tx, {
      environmentId: source.environment_id,
      name: eventName,
      data,
      metadata: new JsonText(encodeJson({ webhook_source_id: source.id, webhook_delivery_id: id })),
      version: source.schema_version,
      source: "webhook",
    });
    note(core, tx, source, {
      ...noted,
      outcome: "accepted",
      reason: "",
      event_id: eventId,
      event_name: eventName,
    });
    return { deliveryId: id, eventId, duplicate: false };
  });
}

const unknown = () => new ApiError("unauthenticated", "no webhook source takes this delivery");

interface Admission {
  source: WebhookSourceRow;
  signedWith: SignatureKey;
}

/** The source that the token or, without one, the signature speaks for. Where a signature is asked for it has to be right. */
async function admit(core: Core, delivery: Delivery): Promise<Admission> {
  const { webhooks } = core.store;
  // Another bearer is the provider's own and no claim of ours.
  if (delivery.token?.startsWith(WEBHOOK_TOKEN_PREFIX) === true) {
    const source = webhooks.byToken(hashToken(delivery.token));
    if (source === undefined || ![source.provider, source.id].includes(delivery.provider)) throw unknown();
    const verdict = verdictOn(core, source, delivery);
    if (verdict === undefined) return { source, signedWith: "none" };
    if (verdict.ok) return { source, signedWith: verdict.signedWith };
    await noteRejected(core, source, verdict.reason, "invalid");
    throw unknown();
  }
  // Nothing is noted for a caller who showed no token: anybody could fill the disk.
  for (const source of webhooks.byProvider(delivery.provider)) {
    const verdict = verdictOn(core, source, delivery);
    if (verdict?.ok === true) return { source, signedWith: verdict.signedWith };
  }
  throw unknown();
}

type SourceVerdict = { ok: true; signedWith: SignatureKey } | { ok: false; reason: string };

/** Undefined when the source asks for no signature. */
function verdictOn(core: Core, source: WebhookSourceRow, delivery: Delivery): SourceVerdict | undefined {
  const config = verifyConfigOf(source);
  if (config === undefined) return undefined;
  const { headers, body } = delivery;
  const nowMs = core.clock.nowMs();
  const secrets = currentSecrets(core, source, nowMs);
  const verdict = verifySignature(
    config,
    secrets.map(({ secret }) => secret),
    readClaim(config, headers, signedId(config, headers, body)),
    body,
    nowMs,
  );
  if (!verdict.ok) return verdict;
  return { ok: true, signedWith: secrets[verdict.index]?.isPrevious === true ? "prev" : "current" };
}

/** The id that is part of what is signed; "" when nothing is, or nothing can be read. */
export function signedId(config: VerifyConfig, headers: IncomingHttpHeaders, body: Buffer): string {
  if (!config.signingTemplate.includes("{id}")) return "";
  try {
    return namesOf(config, headers, parseBody(headers, body)).id ?? "";
  } catch {
    return "";
  }
}

function readDelivery(
  source: WebhookSourceRow,
  { headers, body }: Delivery,
): { key: string | null; eventName: string; data: JsonText } {
  const value = parseBody(headers, body);
  const { type, id } = namesOf(verifyConfigOf(source), headers, value);
  const name = EventName.safeParse(
    type === undefined ? source.event_prefix : `${source.event_prefix}.${type}`,
  );
  if (!name.success) throw new ApiError("invalid_argument", "type: makes no name of an event");
  return { key: id === undefined ? null : shortened(id), eventName: name.data, data: toJsonText(value) };
}

function noteRejected(
  core: Core,
  source: WebhookSourceRow,
  reason: string,
  signedWith: SignatureKey,
): Promise<void> {
  return core.writer.write((tx) =>
    note(core, tx, source, {
      id: core.ids.next("whd"),
      delivery_key: null,
      outcome: "rejected",
      reason,
      signature_key: signedWith,
      event_id: null,
      event_name: null,
    }),
  );
}

function note(
  core: Core,
  tx: Tx,
  source: WebhookSourceRow,
  row: Omit<WebhookDeliveryRow, "seq" | "environment_id" | "source_id" | "received_at">,
): void {
  const { webhooks } = core.store;
  webhooks.addDelivery({
    ...row,
    environment_id: source.environment_id,
    source_id: source.id,
    received_at: tx.nowMs,
  });
  if (row.outcome !== "accepted") webhooks.trimRefused(source.id, WEBHOOK_LIMITS.keptRefusals);
}
