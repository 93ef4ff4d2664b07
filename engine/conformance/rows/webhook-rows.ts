import { createHmac } from "node:crypto";
import { expectLike, expectThat, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import type { Answer, Body, Target } from "../target.ts";

const service = (t: Target, name: string, message: Body) => t.rpc(`WebhookService/${name}`, message);
const secret = "a-secret-of-the-provider";
const other = "another-secret-of-it";

interface Source {
  id: string;
  provider: string;
  token: string;
  /** What creation answered. */
  created: Body;
}

/** A source of its own, for as long as `work` takes. */
async function withSource(t: Target, more: Body, work: (source: Source) => Promise<void>): Promise<void> {
  const provider = t.name("hook");
  const created = await service(t, "CreateWebhookSource", { provider, event_prefix: provider, ...more });
  const id = String((created["source"] as Body)["id"]);
  try {
    await work({ id, provider, token: String(created["ingest_token"]), created });
  } finally {
    await t.raw("POST", "/ironflow.v1.WebhookService/DeleteWebhookSource", { body: { id } });
  }
}

const sign = (key: string, text: string) => `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;

const deliver = (
  t: Target,
  { provider, token }: Source,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  t.raw("POST", `/api/v1/webhooks/${provider}`, {
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

const deliveries = async (t: Target, message: Body) =>
  ((await service(t, "ListWebhookDeliveries", message))["deliveries"] ?? []) as Body[];

function expectStatus(answer: Answer, status: number): Body {
  expectLike(answer.status, status);
  return answer.json as Body;
}

/** Section 2.14, webhooks. */
export const webhookRows: Row[] = [
  {
    id: "2.14.webhook-sources",
    mark: "S",
    title: "a source is made, read, listed, changed and deleted; answers are in snake_case",
    check: (t) =>
      withSource(t, { name: "Shop" }, async ({ id, provider, created }) => {
        expectLike(created, {
          ingest_token: /^ifwh_/,
          source: { id: /^wh_/, name: "Shop", provider, event_prefix: provider, created_at: isTime },
        });
        await service(t, "UpdateWebhookSource", { id, name: "Store", event_prefix: `${provider}.in` });
        const { source } = await service(t, "GetWebhookSource", { id });
        expectLike(source, { id, name: "Store", event_prefix: `${provider}.in` });
        const { sources } = await service(t, "ListWebhookSources", {});
        expectThat(
          "listed",
          (sources as Body[]).some((one) => one["id"] === id),
        );
        await service(t, "DeleteWebhookSource", { id });
        await t.rpcFails("WebhookService/GetWebhookSource", { id }, "not_found");
      }),
  },
  {
    id: "2.14.webhook-event",
    mark: "S",
    title: "a delivery is one event named prefix.type, and the same id is not taken twice",
    check: (t) =>
      withSource(t, {}, async (source) => {
        const body = { id: "dlv-1", type: "order.paid", total: 3 };
        const first = expectStatus(await deliver(t, source, body), 200);
        expectLike(first, { event_id: /^evt_/, delivery_id: isText, duplicate: false });
        const eventId = String(first["event_id"]);
        const again = expectStatus(await deliver(t, source, body), 200);
        expectLike(again, { event_id: eventId, duplicate: true });
        const name = `${source.provider}.order.paid`;
        const page = (await t.get(`/api/v1/events?name=${name}`)) as Body;
        const events = page["events"] as Body[];
        expectThat("one event", events.length === 1);
        expectLike(events[0], { id: eventId, name, source: "webhook", data: body });
        const byEventId = { event_id: "dlv-2", type: "order.paid" };
        await deliver(t, source, byEventId);
        expectLike(expectStatus(await deliver(t, source, byEventId), 200), { duplicate: true });
        const outcomes = (await deliveries(t, { source_id: source.id })).map((one) => one["outcome"]);
        expectLike(outcomes, ["duplicate", "accepted", "duplicate", "accepted"]);
        expectThat(
          "filtered",
          (await deliveries(t, { source_id: source.id, outcome: "accepted" })).length === 2,
        );
      }),
  },
  {
    id: "2.14.webhook-token",
    mark: "I",
    title: "a token opens its own provider's path and nothing else, until it is rotated",
    check: (t) =>
      withSource(t, {}, (source) =>
        withSource(t, {}, async (neighbour) => {
          const foreign = { ...source, provider: neighbour.provider };
          expectStatus(await deliver(t, foreign, { type: "a" }), 401);
          const { ingest_token: token } = await service(t, "RotateWebhookIngestToken", { id: source.id });
          expectStatus(await deliver(t, source, { type: "a" }), 401);
          expectStatus(await deliver(t, { ...source, token: String(token) }, { type: "a" }), 200);
          const headers = { authorization: `Bearer ${String(token)}` };
          if (t.apiKey === undefined) return;
          expectLike((await t.raw("GET", "/api/v1/events", { headers })).status, 401);
          const path = "/ironflow.v1.WebhookService/ListWebhookSources";
          expectLike((await t.raw("POST", path, { headers, body: {} })).status, 401);
        }),
      ),
  },
  {
    id: "2.14.webhook-signature",
    mark: "S",
    title: "a wrong signature is refused; a rotated secret counts until its grace ends",
    check: (t) =>
      withSource(t, { secret }, async (source) => {
        const { id } = source;
        const send = async (key: string) => {
          const text = JSON.stringify({ type: "a" });
          return (await deliver(t, source, text, { "x-webhook-signature": sign(key, text) })).status;
        };
        expectThat("secret not answered", !JSON.stringify(source.created).includes(secret));
        expectLike([await send(secret), await send(other)], [200, 401]);
        expectLike((await deliver(t, source, { type: "a" })).status, 401);
        const rotated = await service(t, "RotateWebhookSecret", { id, secret: other });
        expectLike((rotated["source"] as Body)["secret_prev_expires_at"], isTime);
        expectThat("secret not answered", !JSON.stringify(rotated).includes(other));
        expectLike([await send(secret), await send(other)], [200, 200]);
        await service(t, "ExpireWebhookSecretPrev", { id });
        expectLike([await send(secret), await send(other)], [401, 200]);
        await t.rpcFails(
          "WebhookService/RotateWebhookSecret",
          { id, grace_period_seconds: 7 * 24 * 3600 + 1 },
          "invalid_argument",
        );
        await service(t, "DisableWebhookSignatureVerification", { id });
        expectLike((await deliver(t, source, { type: "a" })).status, 200);
        const rejected = await deliveries(t, { source_id: id, outcome: "rejected" });
        expectThat("refusals are listed", rejected.length === 3);
        expectThat(
          "each with its reason",
          rejected.every((one) => String(one["reason"]).length > 0),
        );
      }),
  },
  {
    id: "2.14.webhook-test",
    mark: "I",
    title: "a configuration is tried on a delivery without taking it in",
    check: (t) =>
      withSource(t, { secret }, async ({ id }) => {
        const body = '{"type":"a"}';
        const tried = (key: string) =>
          service(t, "TestWebhookVerifyConfig", {
            id,
            headers: { "X-Webhook-Signature": sign(key, body) },
            body,
          });
        expectLike(await tried(secret), { valid: true });
        expectLike(await tried(other), { reason: "the signature does not match" });
        expectThat("nothing was taken in", (await deliveries(t, { source_id: id })).length === 0);
      }),
  },
  {
    id: "2.14.webhook-flow",
    mark: "G",
    title: "the flow map has the sources and the events they sent",
    check: (t) =>
      withSource(t, {}, async (source) => {
        await deliver(t, source, { type: "order.paid" });
        const { sources, edges } = (await t.get("/api/v1/flow/webhooks")) as Record<string, Body[]>;
        expectThat("the source", sources?.some((one) => one["id"] === source.id) === true);
        const own = edges?.filter((edge) => edge["source_id"] === source.id);
        expectLike(own, [{ source_id: source.id, event: `${source.provider}.order.paid` }]);
      }),
  },
];
