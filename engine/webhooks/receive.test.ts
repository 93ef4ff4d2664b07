import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CreateSourceRequest, WEBHOOK_LIMITS } from "../contract/webhooks.ts";
import { secretsKeysOf, toSecretsKey } from "../secrets/keys.ts";
import { completed, createHarness, ENV, type Harness } from "../testing/harness.ts";
import { receiveDelivery } from "./receive.ts";
import { createSource, rotateSecret } from "./sources.ts";

let engine: Harness;
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "webhooks-"));
  file = join(folder, "engine.db");
  engine = await createHarness({ file });
});

afterEach(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const [older, newer] = ["older-secret", "newer-secret"];

const make = (secret?: string) =>
  engine.change((tx) =>
    createSource(engine.core, tx, ENV, CreateSourceRequest.parse({ provider: "shop", verifySecret: secret })),
  );

function deliver(value: object, signedWith?: string, token?: string) {
  const body = Buffer.from(JSON.stringify(value));
  const headers =
    signedWith === undefined
      ? {}
      : { "x-webhook-signature": `sha256=${createHmac("sha256", signedWith).update(body).digest("hex")}` };
  return receiveDelivery(engine.core, { provider: "shop", token, headers, body });
}

const refused = { code: "unauthenticated", message: "no webhook source takes this delivery" };
const count = (sql: string) => engine.core.store.db.prepare<{ n: number }>(sql).get()?.n;

it("starts the runs that wait for the event, with the delivery", async () => {
  await engine.define("f", () => completed(), { triggers: [{ event: "shop.paid" }] });
  const { token } = await make();
  await deliver({ type: "paid", id: "1" }, undefined, token);
  await deliver({ type: "paid", id: "1" }, undefined, token);
  expect(count("select count(*) as n from runs")).toBe(1);
});

it("stores neither event nor note when one of them cannot be stored", async () => {
  const { token } = await make();
  engine.core.store.db.exec(
    "create trigger broken before insert on webhook_deliveries begin select raise(abort, 'broken'); end",
  );
  await expect(deliver({ type: "paid", id: "1" }, undefined, token)).rejects.toThrow("broken");
  expect(count("select count(*) as n from events")).toBe(0);
  engine.core.store.db.exec("drop trigger broken");
  expect(await deliver({ type: "paid", id: "1" }, undefined, token)).toMatchObject({ duplicate: false });
});

it("accepts the secret of before for the grace period, 24 h by default, and no longer", async () => {
  const { source } = await make(older);
  await engine.change((tx) => rotateSecret(engine.core, tx, ENV, { id: source.id, verifySecret: newer }));
  engine.clock.advance(WEBHOOK_LIMITS.defaultGraceSeconds * 1000 - 1);
  expect(await deliver({ type: "a" }, older)).toMatchObject({ duplicate: false });
  engine.clock.advance(1);
  await expect(deliver({ type: "a" }, older)).rejects.toMatchObject(refused);
  expect(await deliver({ type: "a" }, newer)).toMatchObject({ duplicate: false });
});

it("lets nothing in by a signature when the secret cannot be read, and says so in the notes", async () => {
  const { token } = await make(older);
  await engine.stop();
  engine = await createHarness({ file, secretsKeys: secretsKeysOf(toSecretsKey(Buffer.alloc(32, 8))) });
  await expect(deliver({ type: "a" }, older, token)).rejects.toMatchObject(refused);
  await expect(deliver({ type: "a" }, "")).rejects.toMatchObject(refused);
  const notes = engine.core.store.webhooks.deliveries({ environmentId: ENV }, { limit: 10, offset: 0 });
  expect(notes.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["rejected", "no secret of the source can be read with this engine's key"],
  ]);
});

it("keeps a bounded number of refusals, and all that was accepted", async () => {
  const { token } = await make();
  await deliver({ type: "a" }, undefined, token);
  for (let n = 0; n < WEBHOOK_LIMITS.keptRefusals + 5; n += 1)
    await expect(deliver({ type: "a b" }, undefined, token)).rejects.toMatchObject({
      code: "invalid_argument",
    });
  expect(count("select count(*) as n from webhook_deliveries where outcome = 'rejected'")).toBe(
    WEBHOOK_LIMITS.keptRefusals,
  );
  expect(count("select count(*) as n from webhook_deliveries where outcome = 'accepted'")).toBe(1);
});
