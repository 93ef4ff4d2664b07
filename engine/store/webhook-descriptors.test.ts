import { createHmac } from "node:crypto";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import { VerifyConfig } from "../contract/webhooks.ts";
import { readClaim, verifySignature } from "../webhooks/signature.ts";
import { WEBHOOKS } from "./migrations/10-webhooks.ts";
import { WEBHOOK_DESCRIPTORS } from "./migrations/13-webhook-descriptors.ts";

const body = Buffer.from("{}");
const of = (text: string, algorithm = "sha256") => createHmac(algorithm, "a-secret").update(text);
const common = { algorithm: "sha256", encoding: "hex", prefix: "", toleranceSeconds: 300 };

it.each<[string, object | null, Record<string, string>]>([
  [
    "GitHub's",
    { ...common, scheme: "hmac", header: "x-hub-signature-256", prefix: "sha256=" },
    { "x-hub-signature-256": `sha256=${of("{}").digest("hex")}` },
  ],
  [
    "Stripe's",
    { ...common, scheme: "stripe", header: "stripe-signature" },
    { "stripe-signature": `t=1000,v1=${of("1000.{}").digest("hex")}` },
  ],
  [
    "one with a time of its own",
    {
      ...common,
      scheme: "hmac",
      header: "x-sig",
      algorithm: "sha512",
      encoding: "base64",
      timestampHeader: "x-time",
    },
    { "x-sig": of("1000.{}", "sha512").digest("base64"), "x-time": "1000" },
  ],
  ["a bare one", { ...common, scheme: "hmac", header: "x-sig" }, { "x-sig": of("{}").digest("hex") }],
])("writes %s scheme of before in the fields of now", (_, before, headers) => {
  const db = new DatabaseSync(":memory:");
  db.exec(
    `create table environments (id text primary key); insert into environments values ('env_default'); ${WEBHOOKS}`,
  );
  const insert = db.prepare(
    "insert into webhook_sources values ('wh_1', 'env_default', 'n', 'p', 'p', 'hash', ?, 1, 0, 0)",
  );
  insert.run(JSON.stringify(before));
  db.exec(WEBHOOK_DESCRIPTORS);
  const row = db.prepare("select verify, schema_version from webhook_sources").get() as Record<
    string,
    string
  >;
  const config = VerifyConfig.parse(JSON.parse(row["verify"] ?? ""));
  const check = (bytes: Buffer) =>
    verifySignature(config, ["a-secret"], readClaim(config, headers, ""), bytes, 1_000_000).ok;
  expect([check(body), check(Buffer.from("{ }")), row["schema_version"]]).toEqual([true, false, 1]);
  db.close();
});
