import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { defaultVerifyConfig, VerifyConfig } from "../contract/webhooks.ts";
import { verifySignature } from "./signature.ts";

const body = Buffer.from('{"type":"a"}');
const nowMs = 1_700_000_000_000;
const hmac = (text: string | Buffer, key = "key-of-it", algorithm = "sha256") =>
  createHmac(algorithm, key).update(text);
const verify = (config: VerifyConfig, headers: Record<string, string>, bytes: Buffer = body) =>
  verifySignature(config, ["key-of-it", "older-key"], headers, bytes, nowMs).ok;

it("takes GitHub's signatures, of the key or the one before, over exactly these bytes", () => {
  const config = defaultVerifyConfig("github");
  const header = (text: string) => ({ "x-hub-signature-256": text });
  const good = hmac(body).digest("hex");
  expect(verify(config, header(`sha256=${good}`))).toBe(true);
  expect(verify(config, header(`sha256=${hmac(body, "older-key").digest("hex")}`))).toBe(true);
  expect(verify(config, header(`sha256=${good}`), Buffer.from('{"type": "a"}'))).toBe(false);
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
  const now = nowMs / 1000;
  expect(at(now, ",v0=00")).toBe(true);
  expect([at(now - 300), at(now + 300)]).toEqual([true, true]);
  expect([at(now - 301), at(now + 301), at("soon"), at("")]).toEqual([false, false, false, false]);
  const signature = hmac(`${now}.${body.toString()}`).digest("hex");
  expect(verify(config, { "stripe-signature": `t=${now - 1},v1=${signature}` })).toBe(false);
  expect(verify(config, { "stripe-signature": `v1=${hmac(body).digest("hex")}` })).toBe(false);
});

it("takes base64 and a time in a header of its own", () => {
  const config = VerifyConfig.parse({
    header: "X-Sig",
    algorithm: "sha512",
    encoding: "base64",
    timestampHeader: "X-Time",
  });
  const time = String(nowMs / 1000);
  const signature = hmac(`${time}.${body.toString()}`, "key-of-it", "sha512").digest("base64");
  expect(verify(config, { "x-sig": signature, "x-time": time })).toBe(true);
  expect(verify(config, { "x-sig": signature })).toBe(false);
  expect(verify(config, { "x-sig": `${signature}!`, "x-time": time })).toBe(false);
});
