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
  const id = String(created["id"]);
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

const nowSeconds = () => Math.floor(Date.now() / 1000);

interface Scheme {
  config: Body;
  /** The headers of a delivery that is signed with this key at this time, seconds. */
  headers: (key: string, text: string, at: number) => Record<string, string>;
}

const mac = (key: string, text: string, encoding: "hex" | "base64" = "hex") =>
  createHmac("sha256", key).update(text).digest(encoding);

const schemes: Scheme[] = [
  {
    config: { signature_header: "X-Hub-Signature-256", kv_delimiter: "=", signature_key: "sha256" },
    headers: (key, text) => ({ "x-hub-signature-256": `sha256=${mac(key, text)}` }),
  },
  {
    config: {
      signature_header: "Stripe-Signature",
      entry_separator: ",",
      kv_delimiter: "=",
      signature_key: "v1",
      timestamp_key: "t",
      signing_template: "{ts}.{body}",
      tolerance_seconds: 300,
    },
    headers: (key, text, at) => ({ "stripe-signature": `t=${at},v1=${mac(key, `${at}.${text}`)},v0=00` }),
  },
  {
    config: { signature_header: "X-Shopify-Hmac-Sha256", encoding: "base64" },
    headers: (key, text) => ({ "x-shopify-hmac-sha256": mac(key, text, "base64") }),
  },
  {
    config: {
      signature_header: "X-Slack-Signature",
      kv_delimiter: "=",
      signature_key: "v0",
      timestamp_header: "X-Slack-Request-Timestamp",
      signing_template: "v0:{ts}:{body}",
      tolerance_seconds: 300,
    },
    headers: (key, text, at) => ({
      "x-slack-request-timestamp": String(at),
      "x-slack-signature": `v0=${mac(key, `v0:${at}:${text}`)}`,
    }),
  },
  {
    config: {
      signature_header: "Webhook-Signature",
      entry_separator: " ",
      kv_delimiter: ",",
      signature_key: "v1",
      timestamp_header: "Webhook-Timestamp",
      signing_template: "{id}.{ts}.{body}",
      encoding: "base64",
      tolerance_seconds: 300,
      dedup_id_path: "header:Webhook-Id",
    },
    headers: (key, text, at) => ({
      "webhook-id": "msg-1",
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,AAAA v1,${mac(key, `msg-1.${at}.${text}`, "base64")}`,
    }),
  },
];

/** Section 2.14, webhooks. */
export const webhookRows: Row[] = [
  {
    id: "2.14.webhook-sources",
    mark: "S",
    title: "a source is made, read, listed, changed and deleted; answers are in snake_case",
    check: (t) =>
      withSource(t, { name: "Shop" }, async ({ id, provider, created }) => {
        const shape = { id, name: "Shop", event_prefix: provider, schema_version: 1, created_at: isTime };
        expectLike(created, {
          ...shape,
          id: /^wh_/,
          ingest_token: /^ifwh_/,
          ingest_token_prefix: /^ifwh_.{8}$/,
        });
        const known = await service(t, "GetWebhookSource", { id });
        expectLike(known, shape);
        expectThat("the token is told once", known["ingest_token"] === undefined);
        const metadata = { team: "sales" };
        const update = {
          id,
          name: "Store",
          metadata,
          schema_version: 2,
          expected_updated_at: known["updated_at"],
        };
        const updated = await service(t, "UpdateWebhookSource", update);
        expectLike(updated, { ...shape, name: "Store", metadata, schema_version: 2 });
        await t.rpcFails("WebhookService/UpdateWebhookSource", update, "aborted");
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
        const all = await deliveries(t, { source_id: source.id });
        expectLike(
          all.map((one) => one["status"]),
          ["duplicate", "accepted", "duplicate", "accepted"],
        );
        expectLike(all[3], {
          external_id: "dlv-1",
          event_id: eventId,
          signature_key: "none",
          created_at: isTime,
        });
        const accepted = { source_id: source.id, status: "accepted" };
        expectThat("filtered", (await deliveries(t, accepted)).length === 2);
        expectThat("paged", (await deliveries(t, { ...accepted, limit: 1, offset: 1 })).length === 1);
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
      withSource(t, { verify_secret: secret }, async (source) => {
        const { id } = source;
        const send = async (key: string) => {
          const text = JSON.stringify({ type: "a" });
          return (await deliver(t, source, text, { "x-webhook-signature": sign(key, text) })).status;
        };
        expectThat("secret not answered", !JSON.stringify(source.created).includes(secret));
        expectLike([await send(secret), await send(other)], [200, 401]);
        expectLike((await deliver(t, source, { type: "a" })).status, 401);
        expectLike(source.created, { verify_secret_set: true });
        const rotated = await service(t, "RotateWebhookSecret", {
          id,
          verify_secret: other,
          grace_seconds: 9_999_999,
        });
        expectLike(rotated, { verify_secret_prev_set: true, verify_secret_prev_expires_at: isTime });
        const graceMs =
          Date.parse(String(rotated["verify_secret_prev_expires_at"])) -
          Date.parse(String(rotated["updated_at"]));
        expectThat("seven days at most", graceMs <= 7 * 24 * 3_600_000);
        expectThat("secret not answered", !JSON.stringify(rotated).includes(other));
        expectLike([await send(secret), await send(other)], [200, 200]);
        await service(t, "ExpireWebhookSecretPrev", { id });
        expectLike([await send(secret), await send(other)], [401, 200]);
        await t.rpcFails("WebhookService/RotateWebhookSecret", { id, verify_secret: "" }, "invalid_argument");
        await service(t, "DisableWebhookSignatureVerification", { id });
        expectLike((await deliver(t, source, { type: "a" })).status, 200);
        const rejected = await deliveries(t, { source_id: id, status: "rejected" });
        expectThat("refusals are listed", rejected.length === 3);
        expectThat(
          "each with its reason",
          rejected.every((one) => String(one["error"]).length > 0 && one["signature_key"] === "invalid"),
        );
      }),
  },
  {
    id: "2.14.webhook-test",
    mark: "G",
    title: "a configuration is tried on a delivery without taking it in, and shows what it made of it",
    check: (t) =>
      withSource(t, { verify_secret: secret }, async ({ id, created }) => {
        const body = '{"type":"a","id":"one"}';
        const tried = (key: string, more: Body = {}) =>
          service(t, "TestWebhookVerifyConfig", {
            source_id: id,
            verify_config: created["verify_config"],
            headers: { "X-Webhook-Signature": sign(key, body) },
            body,
            ...more,
          });
        expectLike(await tried(secret), {
          verified: true,
          signing_string: body,
          computed_signature: sign(secret, body).slice("sha256=".length),
          presented_signatures: [sign(secret, body).slice("sha256=".length)],
          resolved_event_name: "a",
          resolved_dedup_id: "one",
        });
        expectLike(await tried(other), { error: "the signature does not match" });
        expectLike(await tried(other, { verify_secret: other }), { verified: true });
        expectThat("nothing was taken in", (await deliveries(t, { source_id: id })).length === 0);
      }),
  },
  {
    id: "2.14.webhook-schemes",
    mark: "G",
    title:
      "verify_config describes GitHub, Stripe, Shopify, Slack and Standard Webhooks; a wrong key is refused in each",
    check: async (t) => {
      for (const { config, headers } of schemes) {
        const more = { verify_secret: secret, verify_config: config };
        await withSource(t, more, async (source) => {
          const text = JSON.stringify({ type: "a", event_id: "e-1" });
          const send = async (key: string, at = nowSeconds()) =>
            (await deliver(t, source, text, headers(key, text, at))).status;
          const got = [await send(other), await send(secret)];
          expectThat(`${String(config["signature_header"])}: ${got.join(" and ")}`, got.join() === "401,200");
          if (config["tolerance_seconds"] === undefined) return;
          const late = await send(secret, nowSeconds() - 400);
          expectThat(`${String(config["signature_header"])}, 400 s late: ${late}`, late === 401);
        });
      }
    },
  },
  {
    id: "2.14.webhook-config-bad",
    mark: "G",
    title: "a replay window over a time that is not signed, or a configuration without secret, is refused",
    check: async (t) => {
      const refused = (more: Body) =>
        t.rpcFails(
          "WebhookService/CreateWebhookSource",
          { event_prefix: t.name("bad"), verify_secret: secret, ...more },
          "invalid_argument",
        );
      const config = { signature_header: "X-Sig" };
      expectLike(await refused({ verify_config: { ...config, tolerance_seconds: 5 } }), /tolerance/i);
      expectLike(await refused({ verify_config: { ...config, kv_delimiter: "=" } }), /signature_?key/i);
      expectLike(await refused({ verify_config: config, verify_secret: "" }), /verify_secret/);
    },
  },
  {
    id: "2.14.webhook-legacy",
    mark: "G",
    title: "verify_header and verify_algorithm alone mean hex over the bare body",
    check: (t) => {
      const more = { verify_secret: secret, verify_header: "X-Old", verify_algorithm: "hmac-sha1" };
      return withSource(t, more, async (source) => {
        const text = '{"type":"a"}';
        const of = (key: string) => createHmac("sha1", key).update(text).digest("hex");
        expectLike((await deliver(t, source, text, { "x-old": of(other) })).status, 401);
        expectLike((await deliver(t, source, text, { "x-old": of(secret) })).status, 200);
      });
    },
  },
  {
    id: "2.14.webhook-names",
    mark: "G",
    title:
      "event_name_path and dedup_id_path say where name and id are; the source's schema_version is the event's",
    check: (t) => {
      const config = {
        signature_header: "X-Sig",
        event_name_path: "header:X-Topic",
        dedup_id_path: "body:data.object.id",
      };
      return withSource(
        t,
        { verify_secret: secret, verify_config: config, schema_version: 3 },
        async (source) => {
          const text = JSON.stringify({ type: "other", data: { object: { id: "o-1" } } });
          const headers = {
            "x-sig": createHmac("sha256", secret).update(text).digest("hex"),
            "x-topic": "sold",
          };
          const first = expectStatus(await deliver(t, source, text, headers), 200);
          expectLike(expectStatus(await deliver(t, source, text, headers), 200), { duplicate: true });
          expectLike(await t.get(`/api/v1/events/${String(first["event_id"])}`), {
            name: `${source.provider}.sold`,
          });
          const [row] = await deliveries(t, { source_id: source.id });
          expectLike(row, { external_id: "o-1", signature_key: "current" });
        },
      );
    },
  },
  {
    id: "2.14.webhook-form",
    mark: "I",
    title:
      "a form becomes an object of its fields, and the JSON in a lone payload that JSON; a bad one leaves nothing",
    check: (t) =>
      withSource(t, {}, async (source) => {
        const form = { "content-type": "application/x-www-form-urlencoded" };
        const dataOf = async (text: string) => {
          const answer = expectStatus(await deliver(t, source, text, form), 200);
          return ((await t.get(`/api/v1/events/${String(answer["event_id"])}`)) as Body)["data"];
        };
        expectLike(await dataOf("type=command&text=two+words&tag=a&tag=b"), {
          type: "command",
          text: "two words",
          tag: ["a", "b"],
        });
        const payload = { type: "block", id: "p-1" };
        expectLike(await dataOf(`payload=${encodeURIComponent(JSON.stringify(payload))}`), payload);
        for (const bad of ["a=%zz", "a=%ff", ""])
          expectLike((await deliver(t, source, bad, form)).status, 400);
        const page = (await t.get(`/api/v1/events?name=${source.provider}`)) as Body;
        expectThat("two events", (page["events"] as Body[]).length === 2);
      }),
  },
  {
    id: "2.14.webhook-id-path",
    mark: "G",
    title: "a source without a name of its own takes deliveries under its id",
    check: async (t) => {
      const created = await service(t, "CreateWebhookSource", { event_prefix: t.name("plain") });
      const id = String(created["id"]);
      try {
        const source = { id, provider: id, token: String(created["ingest_token"]), created };
        expectLike(created, { ingest_path: `/api/v1/webhooks/${id}` });
        expectStatus(await deliver(t, source, { type: "a" }), 200);
      } finally {
        await service(t, "DeleteWebhookSource", { id });
      }
    },
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
