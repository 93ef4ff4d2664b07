import { createHmac } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { MAX_BODY_BYTES } from "./http/door.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";

let factory: EngineFactory;

beforeAll(async () => {
  factory = await createEngineFactory();
});

afterAll(() => factory.close());

interface Source {
  id: string;
  provider: string;
  token: string;
}

async function makeSource(engine: EngineProcess, provider: string, more: object = {}): Promise<Source> {
  const made = await engine.ask("WebhookService/CreateWebhookSource", { provider, ...more });
  return { id: String(made["id"]), provider, token: String(made["ingest_token"]) };
}

/** A provider's POST: it knows no key of the engine. */
async function post(
  engine: EngineProcess,
  provider: string,
  body: string | Buffer,
  headers: Record<string, string>,
) {
  const response = await fetch(`${engine.url}/api/v1/webhooks/${provider}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const bearer = ({ token }: Source) => ({ authorization: `Bearer ${token}` });
const sign = (key: string, text: string) => `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;

/** Events of exactly this name; the filter takes a part of one. */
async function eventsOf(engine: EngineProcess, name: string) {
  const { body } = await engine.rest(`/api/v1/events?name=${name}&limit=200`);
  const events = body["events"] as { id: string; name: string; data: { id?: string } }[];
  return events.filter((event) => event.name === name);
}

it("[2.14] takes in what is signed without any token, and tells a stranger nothing", async () => {
  const engine = await factory.start({ flags: [] });
  const secret = "github-secret-value";
  const source = await makeSource(engine, "github", { verify_secret: secret });
  const text = '{"n":12345678901234567890}';
  const headers = {
    "x-hub-signature-256": sign(secret, text),
    "x-github-event": "push",
    "x-github-delivery": "one",
  };
  const first = await post(engine, "github", text, headers);
  expect(first).toMatchObject({ status: 200, body: { duplicate: false } });
  // A replay is no second event.
  const replay = await post(engine, "github", text, headers);
  expect(replay).toMatchObject({
    status: 200,
    body: { duplicate: true, event_id: first.body["event_id"] },
  });
  expect(await eventsOf(engine, "github.push")).toHaveLength(1);
  const refusals = [
    await post(engine, "github", text, {}),
    await post(engine, "github", text, { "x-hub-signature-256": sign("not-the-secret", text) }),
    await post(engine, "github", text, bearer(source)),
    await post(engine, "github", text, { ...headers, authorization: "Bearer ifwh_nobody" }),
    await post(engine, "nobody", text, headers),
  ];
  expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  expect(refusals[0]?.status).toBe(401);
  const { deliveries } = (await engine.ask("WebhookService/ListWebhookDeliveries", {
    source_id: source.id,
  })) as { deliveries: { status: string; signature_key: string }[] };
  // Only the one that showed the right token is noted.
  expect(deliveries.map(({ status, signature_key: key }) => [status, key])).toEqual([
    ["rejected", "invalid"],
    ["duplicate", "current"],
    ["accepted", "current"],
  ]);

  // Neither token nor secret is in a file, in the log or in another answer.
  const answers = await Promise.all([
    engine.ask("WebhookService/ListWebhookSources", {}),
    engine.rest("/api/v1/flow/webhooks"),
    engine.rest("/api/v1/audit?limit=200"),
  ]);
  const texts = [JSON.stringify(answers), engine.stdout(), engine.stderr()];
  for (const file of await readdir(engine.dataDir))
    texts.push((await readFile(join(engine.dataDir, file))).toString("latin1"));
  for (const hidden of [secret, source.token]) {
    expect(texts.filter((one) => one.includes(hidden))).toEqual([]);
  }
  await engine.end("SIGTERM");
});

it("[2.14] refuses hostile bodies, stores nothing of them and goes on", async () => {
  const engine = await factory.start({ flags: [] });
  const source = await makeSource(engine, "shop");
  const send = async (body: string | Buffer, headers: Record<string, string> = {}) =>
    (await post(engine, "shop", body, { ...bearer(source), ...headers })).status;
  expect(await send("")).toBe(400);
  expect(await send("{")).toBe(400);
  expect(await send(Buffer.from([0x22, 0xff, 0x22]))).toBe(400);
  expect(await send("[".repeat(100_000))).toBe(400);
  expect(await send(`"${"x".repeat(MAX_BODY_BYTES)}"`)).toBe(400);
  expect(await send("{}", { "content-type": "text/plain" })).toBe(415);
  expect(await send("{}", { "content-encoding": "gzip" })).toBe(415);
  for (const type of ["a b", "a..b", "*", "a.>", "\u0000", "x".repeat(300), "\u202e"])
    expect([type, await send(JSON.stringify({ type }))]).toEqual([type, 400]);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  for (const text of [
    "",
    "a=%",
    "a=%ff",
    "type=a b",
    "type=%00",
    "type=*",
    `a=${"x".repeat(MAX_BODY_BYTES)}`,
  ])
    expect([text.slice(0, 9), await send(text, form)]).toEqual([text.slice(0, 9), 400]);
  expect((await engine.rest("/api/v1/events")).body["events"]).toEqual([]);
  // Ids that look alike are two; a long or odd one is one.
  for (const id of ["12345678901234567890", "12345678901234567891", '"a\\u0000b"', '"a\\u0000c"']) {
    const text = `{"type":"order","id":${id}}`;
    const first = await post(engine, "shop", text, bearer(source));
    const second = await post(engine, "shop", text, bearer(source));
    expect([id, first.body["duplicate"], second.body["duplicate"]]).toEqual([id, false, true]);
  }
  expect(await send('{"__proto__":{"id":"p","type":"q"},"type":["a"],"id":{}}')).toBe(200);
  expect(await send("[1]")).toBe(200);
  expect(await send("__proto__=1&id=f-1", form)).toBe(200);
  expect(await send("__proto__=1&id=f-1", form)).toBe(200);
  expect(await eventsOf(engine, "shop")).toHaveLength(3);
  await engine.end("SIGTERM");
});

it("[2.14] has on disk what it acknowledged when it is killed, once, also when all is sent again", async () => {
  const many = 120;
  let engine = await factory.start({ flags: [] });
  const source = await makeSource(engine, "shop");
  const ids = Array.from({ length: many }, (_, at) => `d${at}`);
  const acknowledged = new Map<string, string>();
  const send = async (id: string) => {
    const answer = await post(engine, "shop", JSON.stringify({ type: "order", id }), bearer(source));
    expect(answer.status).toBe(200);
    return String(answer.body["event_id"]);
  };
  // Some are answered, the rest is under way when the process dies.
  const sent = ids.map(async (id, at) => {
    if (at >= many / 2) await poll("some to be answered", () => acknowledged.size >= many / 4);
    try {
      acknowledged.set(id, await send(id));
    } catch (error) {
      // Only a connection that broke is expected.
      if (!(error instanceof TypeError)) throw error;
    }
  });
  await poll("answers", () => acknowledged.size >= many / 4);
  await engine.end("SIGKILL");
  await Promise.all(sent);

  engine = await factory.start({ flags: [], dataDir: engine.dataDir });
  const kept = new Set((await eventsOf(engine, "shop.order")).map((event) => event.id));
  expect([...acknowledged.values()].filter((eventId) => !kept.has(eventId))).toEqual([]);
  for (const id of ids) {
    const eventId = await send(id);
    expect(acknowledged.get(id) ?? eventId).toBe(eventId);
  }
  const events = await eventsOf(engine, "shop.order");
  expect(events).toHaveLength(many);
  expect(new Set(events.map(({ data }) => data.id))).toEqual(new Set(ids));
  await engine.end("SIGTERM");
});
