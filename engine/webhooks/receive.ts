import type { IncomingHttpHeaders } from "node:http";
import { isLosslessNumber } from "lossless-json";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { hashToken } from "../../loopback/token.ts";
import { EventName } from "../contract/ids.ts";
import { WEBHOOK_LIMITS } from "../contract/webhooks.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { emitEvent } from "../execute/emit.ts";
import { encodeJson, JsonText, toJsonText } from "../json/json-text.ts";
import type { WebhookDeliveryRow, WebhookSourceRow } from "../store/webhooks.ts";
import type { Tx } from "../store/writer.ts";
import { currentSecrets, verifyConfigOf, WEBHOOK_TOKEN_PREFIX } from "./sources.ts";
import { verifySignature, type Verdict } from "./signature.ts";

export interface Delivery {
  provider: string;
  /** The bearer token that came along. */
  token: string | undefined;
  headers: IncomingHttpHeaders;
  /** JSON in UTF-8, or nothing. */
  body: Buffer;
}

export interface Received {
  deliveryId: string;
  eventId: string;
  /** It had come before; nothing was done. */
  duplicate: boolean;
}

const maxKeyChars = 256;
/** Where providers that have no id in the body say what the delivery is called. */
const KEY_HEADERS = ["x-github-delivery", "webhook-id", "idempotency-key"];

/**
 * Takes a delivery in: its event and the note of it are one change, on disk before this resolves.
 * @throws ApiError unauthenticated, the same whatever is wrong with token or signature; invalid_argument
 */
export async function receiveDelivery(core: Core, delivery: Delivery): Promise<Received> {
  const source = await admit(core, delivery);
  let read: ReturnType<typeof readDelivery>;
  try {
    read = readDelivery(source, delivery);
  } catch (error) {
    if (error instanceof ApiError) await noteRejected(core, source, error.message);
    throw error;
  }
  const { key, eventName, data } = read;
  return core.writer.write((tx) => {
    if (core.store.webhooks.get(source.environment_id, source.id) === undefined) throw unknown();
    const before = key === null ? undefined : core.store.webhooks.accepted(source.id, key);
    const id = core.ids.next("whd");
    if (before !== undefined) {
      note(core, tx, source, {
        id,
        delivery_key: key,
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
      version: 1,
      source: "webhook",
    });
    note(core, tx, source, {
      id,
      delivery_key: key,
      outcome: "accepted",
      reason: "",
      event_id: eventId,
      event_name: eventName,
    });
    return { deliveryId: id, eventId, duplicate: false };
  });
}

const unknown = () => new ApiError("unauthenticated", "no webhook source takes this delivery");

/** The source that the token or, without one, the signature speaks for. Where a signature is asked for it has to be right. */
async function admit(core: Core, delivery: Delivery): Promise<WebhookSourceRow> {
  const { webhooks } = core.store;
  // Another bearer is the provider's own and no claim of ours.
  if (delivery.token?.startsWith(WEBHOOK_TOKEN_PREFIX) === true) {
    const source = webhooks.byToken(hashToken(delivery.token));
    if (source === undefined || source.provider !== delivery.provider) throw unknown();
    const verdict = verdictOn(core, source, delivery);
    if (verdict === undefined || verdict.ok) return source;
    await noteRejected(core, source, verdict.reason);
    throw unknown();
  }
  // Nothing is noted for a caller who showed no token: anybody could fill the disk.
  const source = webhooks
    .byProvider(delivery.provider)
    .find((one) => verdictOn(core, one, delivery)?.ok === true);
  if (source === undefined) throw unknown();
  return source;
}

/** Undefined when the source asks for no signature. */
function verdictOn(core: Core, source: WebhookSourceRow, { headers, body }: Delivery): Verdict | undefined {
  const config = verifyConfigOf(source);
  if (config === undefined) return undefined;
  const nowMs = core.clock.nowMs();
  return verifySignature(config, currentSecrets(core, source, nowMs), headers, body, nowMs);
}

function readDelivery(
  source: WebhookSourceRow,
  { headers, body }: Delivery,
): { key: string | null; eventName: string; data: JsonText } {
  if (body.length === 0) throw new ApiError("invalid_argument", "body: missing");
  const value = parseExactJson(body.toString("utf8"));
  const members =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : new Map<string, unknown>();
  const header = (name: string) => textOf(headers[name]);
  const type = textOf(members.get("type")) ?? header("x-github-event");
  const name = EventName.safeParse(
    type === undefined ? source.event_prefix : `${source.event_prefix}.${type}`,
  );
  if (!name.success) throw new ApiError("invalid_argument", "type: makes no name of an event");
  const key =
    keyOf(members.get("id")) ??
    keyOf(members.get("event_id")) ??
    KEY_HEADERS.map(header).find((text) => text !== undefined);
  return {
    key: key === undefined ? null : shortened(key),
    eventName: name.data,
    data: toJsonText(value),
  };
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** A number keeps all of its digits: two ids are never taken for one. */
function keyOf(value: unknown): string | undefined {
  if (typeof value === "number" || isLosslessNumber(value)) return String(value);
  return textOf(value);
}

/** A key that the store could not hold as it is stands there as its hash. */
function shortened(key: string): string {
  return key.length > maxKeyChars || /[\p{Cc}\p{Cs}]/u.test(key) ? `sha256:${hashToken(key)}` : key;
}

function noteRejected(core: Core, source: WebhookSourceRow, reason: string): Promise<void> {
  return core.writer.write((tx) =>
    note(core, tx, source, {
      id: core.ids.next("whd"),
      delivery_key: null,
      outcome: "rejected",
      reason,
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
