import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { defaultVerifyConfig, VerifyConfig } from "../contract/webhooks.ts";
import { namesOf, parseBody } from "./delivery.ts";
import { readClaim, verifySignature } from "./signature.ts";

const body = Buffer.from('{"type":"a"}');
const nowMs = 1_700_000_000_000;
const now = nowMs / 1000;
const hmac = (text: string | Buffer, key = "key-of-it", algorithm = "sha256") =>
  createHmac(algorithm, key).update(text);

interface Attempt {
  secrets?: readonly string[];
  bytes?: Buffer;
  id?: string;
  at?: number;
}

function verify(config: VerifyConfig, headers: Record<string, string>, more: Attempt = {}): boolean {
  const bytes = more.bytes ?? body;
  const claim = readClaim(config, headers, more.id ?? "");
  const { ok } = verifySignature(
    config,
    more.secrets ?? ["key-of-it", "older-key"],
    claim,
    bytes,
    more.at ?? nowMs,
  );
  return ok;
}

/** The example deliveries of the providers' own documentation. */
it.each<[string, string, Record<string, string>, string, string, number, string]>([
  [
    "github",
    "It's a Secret to Everybody",
    { "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" },
    "Hello, World!",
    "",
    0,
    "",
  ],
  [
    "slack",
    "8f742231b10e8888abcd99yyyzzz85a5",
    {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    "",
    1_531_420_618_000,
    "x-slack-request-timestamp",
  ],
  [
    "svix",
    "whsec_plJ3nmyCDGBKInavdOK15jsl",
    {
      "svix-timestamp": "1731705121",
      "svix-signature":
        "v1,bm9ldHUjKzFob2VudXRob2VodWUzMjRvdWVvdW9ldQo= v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
    },
    '{"event_type":"ping","data":{"success":true}}',
    "msg_loFOjxBNrRLzqYUf",
    1_731_705_121_000,
    "svix-timestamp",
  ],
])(
  "takes %s's own example, over exactly these bytes, and while its time is near",
  (provider, secret, headers, text, id, at, timeHeader) => {
    const config = defaultVerifyConfig(provider);
    const more = { secrets: ["another-key", secret], id, at };
    expect(verify(config, headers, { ...more, bytes: Buffer.from(text) })).toBe(true);
    expect(verify(config, headers, { ...more, bytes: Buffer.from(`${text} `) })).toBe(false);
    expect(verify(config, headers, { ...more, bytes: Buffer.from(text), secrets: ["another-key"] })).toBe(
      false,
    );
    if (timeHeader === "") return;
    const far = { ...more, bytes: Buffer.from(text), at: at + 301_000 };
    expect(verify(config, headers, far)).toBe(false);
    const claimed = { ...headers, [timeHeader]: String(at / 1000 + 301) };
    expect(verify(config, claimed, far)).toBe(false);
  },
);

it("takes GitHub's signatures, of the key or the one before, and nothing that looks like them", () => {
  const config = defaultVerifyConfig("github");
  const header = (text: string) => ({ "x-hub-signature-256": text });
  const good = hmac(body).digest("hex");
  expect(verify(config, header(`sha256=${good}`))).toBe(true);
  expect(verify(config, header(`sha256=${hmac(body, "older-key").digest("hex")}`))).toBe(true);
  const bad = [
    good,
    `sha1=${good}`,
    "sha256=",
    `sha256=${good.slice(0, -1)}`,
    `sha256=${good.slice(0, -2)}`,
    `sha256=${good}zz`,
    `sha256=${good}, sha256=${good}`,
    `sha256=${hmac(body, "no-key").digest("hex")}`,
  ];
  expect(bad.filter((text) => verify(config, header(text)))).toEqual([]);
  expect(verify(config, {})).toBe(false);
});

it("takes Stripe's signatures while their time is near", () => {
  const config = defaultVerifyConfig("stripe");
  const at = (seconds: number | string, more = "") => {
    const signature = hmac(`${seconds}.${body.toString()}`).digest("hex");
    return verify(config, { "stripe-signature": `t=${seconds},v1=${signature}${more}` });
  };
  expect(at(now, ",v0=00")).toBe(true);
  expect([at(now - 300), at(now + 300)]).toEqual([true, true]);
  expect([at(now - 301), at(now + 301), at("soon"), at("")]).toEqual([false, false, false, false]);
  const signature = hmac(`${now}.${body.toString()}`).digest("hex");
  expect(verify(config, { "stripe-signature": `t=${now - 1},v1=${signature}` })).toBe(false);
  expect(verify(config, { "stripe-signature": `v1=${hmac(body).digest("hex")}` })).toBe(false);
  // Keys are rotated: the second one is as good.
  expect(verify(config, { "stripe-signature": `t=${now},v1=00,v1=${signature}` })).toBe(true);
});

it("takes Shopify's bare base64, and any other scheme that the fields describe", () => {
  const shopify = defaultVerifyConfig("shopify");
  expect(verify(shopify, { "x-shopify-hmac-sha256": hmac(body).digest("base64") })).toBe(true);
  expect(verify(shopify, { "x-shopify-hmac-sha256": `${hmac(body).digest("base64")}!` })).toBe(false);
  const config = VerifyConfig.parse({
    signatureHeader: "X-Sig",
    algorithm: "hmac-sha1",
    timestampHeader: "X-Time",
    signingTemplate: "{ts}|{body}|{id}",
    toleranceSeconds: 60,
  });
  const of = (id: string, text = body.toString()) =>
    hmac(`${now}|${text}|${id}`, "key-of-it", "sha1").digest("hex");
  const headers = { "x-time": String(now), "x-sig": of("one") };
  expect(verify(config, headers, { id: "one" })).toBe(true);
  expect(verify(config, headers, { id: "two" })).toBe(false);
  expect(verify(config, { "x-sig": of("one") }, { id: "one" })).toBe(false);
  // What the body holds stands for nothing.
  const odd = Buffer.from("{ts}{id}{body}");
  expect(verify(config, { ...headers, "x-sig": of("one", odd.toString()) }, { id: "one", bytes: odd })).toBe(
    true,
  );
  expect(verify({ ...config, toleranceSeconds: 0 }, headers, { id: "one", at: 0 })).toBe(true);
});

it.each([
  [{ kvDelimiter: "=" }, /signatureKey|kv_delimiter/],
  [{ signingTemplate: "{ts}.{body}" }, /timestamp/],
  [{ toleranceSeconds: 5 }, /not signed/],
  [{ signingTemplate: "{ts}", timestampHeader: "X-T" }, /\{body\} once/],
  [{ signingTemplate: "{body}{secret}" }, /knows/],
  [{ algorithm: "md5" }, /algorithm/],
  [{ eventNamePath: "query:x" }, /header:NAME/],
  [{ signatureHeader: "a b" }, /name of a header/],
])("refuses a configuration with %j", (more, message) => {
  const parsed = VerifyConfig.safeParse({ signatureHeader: "X-Sig", ...more });
  expect(JSON.stringify(parsed.error?.issues)).toMatch(message);
});

it("reads names where the configuration says", () => {
  const config = VerifyConfig.parse({
    signatureHeader: "X-Sig",
    eventNamePath: "header:X-Topic",
    dedupIdPath: "body:data.object.id",
  });
  const value = parseBody(
    {},
    Buffer.from('{"type":"other","id":"1","data":{"object":{"id":12345678901234567890}}}'),
  );
  expect(namesOf(config, { "x-topic": "orders/paid" }, value)).toEqual({
    type: "orders/paid",
    id: "12345678901234567890",
  });
  expect(namesOf(config, {}, { type: "other", id: "1" })).toEqual({ type: undefined, id: undefined });
  expect(namesOf(undefined, {}, value)).toEqual({ type: "other", id: "1" });
});

it.each<[string, unknown]>([
  ["a=1&b=two+words&c=%C3%BC", { a: "1", b: "two words", c: "ü" }],
  ["a=1&a=2&b&&=x", { a: ["1", "2"], b: "", "": "x" }],
  ["payload=%7B%22id%22%3A%2212345678901234567890%22%7D", { id: "12345678901234567890" }],
  ["payload=text", { payload: "text" }],
  ["payload=%7B%7D&more=1", { payload: "{}", more: "1" }],
])("reads the form %s", (text, wanted) => {
  const type = "application/x-www-form-urlencoded; charset=utf-8";
  expect(parseBody({ "content-type": type }, Buffer.from(text))).toEqual(wanted);
});

it("keeps a field named __proto__ a field", () => {
  const value = parseBody(
    { "content-type": "application/x-www-form-urlencoded" },
    Buffer.from("__proto__=x&a=1"),
  );
  expect(Object.keys(value as object)).toEqual(["__proto__", "a"]);
});

it.each(["a=%", "a=%zz", "a=%ff", "a=\u0000", "a=ü", "a&".repeat(1_001)])("refuses the form %j", (text) => {
  const read = () => parseBody({ "content-type": "application/x-www-form-urlencoded" }, Buffer.from(text));
  expect(read).toThrow(/^body: /);
});
