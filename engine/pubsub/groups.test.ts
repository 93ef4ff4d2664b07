import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  CreateGroupRequest,
  GROUP_DEFAULTS,
  GROUP_LIMITS,
  SubscribeOptions,
  UpdateGroupRequest,
} from "../contract/consumer-groups.ts";
import { publish } from "../execute/publish.ts";
import { redactEvent } from "../execute/redact.ts";
import { toJsonText } from "../json/json-text.ts";
import { createHarness, ENV, type Harness } from "../testing/harness.ts";
import { createGroup, deleteGroup, findGroup, updateGroup } from "./groups.ts";
import { subscribe, type Sent, type Subscription } from "./subscribe.ts";

let engine: Harness;
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "groups-"));
  file = join(folder, "engine.db");
  engine = await createHarness({ file });
});

afterEach(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const make = (more: object = {}) =>
  engine.change((tx) =>
    createGroup(
      engine.core,
      tx,
      ENV,
      CreateGroupRequest.parse({ name: "g", pattern: "topic:orders", ackMode: "manual", ...more }),
    ),
  );

const send = (data: unknown, topic = "orders") =>
  engine.change((tx) => publish(engine.core, tx, { environmentId: ENV, topic, data: toJsonText(data) }));

interface Client {
  subscription: Subscription;
  got: Sent[];
  /** What `data` of each delivery was. */
  values(): unknown[];
  ended: string[];
  /** Bytes that it has not read. */
  unread: number;
  /** It takes nothing any more. */
  dead: boolean;
  /** Its connection is being closed: what is sent is lost. */
  closing: boolean;
}

async function member(pattern = "topic:orders", options: object = { consumerGroup: "g" }): Promise<Client> {
  const client: Client = {
    subscription: { id: "", groupId: undefined, begin: () => {}, close: () => {} },
    got: [],
    values: () => client.got.map(({ data }) => JSON.parse(JSON.stringify(data, textOf)) as unknown),
    ended: [],
    unread: 0,
    dead: false,
    closing: false,
  };
  const wanted = { environmentId: ENV, pattern, options: SubscribeOptions.parse(options), unread: "unread" };
  client.subscription = await subscribe(engine.core, wanted, {
    isOpen: () => !client.closing,
    unreadBytes: () => client.unread,
    send: (sent) => {
      if (!client.dead) client.got.push(sent);
      return !client.dead;
    },
    onEnd: ({ message }) => client.ended.push(message),
  });
  client.subscription.begin();
  await engine.settle();
  return client;
}

const textOf = (_: string, value: unknown) =>
  typeof value === "object" && value !== null && "text" in value ? JSON.parse(String(value.text)) : value;

const settleWith =
  (type: "ack" | "nak" | "term", redeliverDelayMs?: number) =>
  async (client: Client, at = 0) => {
    const { subscription, got } = client;
    await engine.change((tx) =>
      engine.core.groups.settle(tx, subscription.groupId ?? "", {
        member: subscription.id,
        messageId: got[at]?.eventId ?? "",
        type,
        redeliverDelayMs,
      }),
    );
    await engine.settle();
  };
const ack = settleWith("ack");

const deadLetters = () =>
  engine.core.store.deadLetters.list({ environmentId: ENV }, { limit: 10, offset: 0 }).items;
const lag = (topic = "orders") => engine.core.store.groupDeliveries.lag(ENV, `topic:${topic}`);

/** Lets time pass and the engine do what is due. */
async function pass(ms: number): Promise<void> {
  engine.clock.advance(ms);
  await engine.settle();
}

it("gives each message to one member, and to another only when that one did not acknowledge in time", async () => {
  await make();
  const [one, two] = [await member(), await member()];
  for (let n = 0; n < 6; n += 1) await send(n);
  await engine.settle();
  expect(new Set([...one.values(), ...two.values()])).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  expect(one.got.length + two.got.length).toBe(6);
  expect(one.got.length).toBeGreaterThan(0);
  expect(two.got.length).toBeGreaterThan(0);
  for (const client of [one, two])
    for (const index of client.got.keys())
      if (client.got[index]?.eventId !== one.got[0]?.eventId) await ack(client, index);
  expect(lag()).toBe(1);
  two.subscription.close();
  const three = await member();
  await pass(GROUP_DEFAULTS.redeliverDelayMs - 1);
  expect(three.got).toEqual([]);
  await pass(1);
  const again = [...one.got.slice(3), ...three.got].find(({ attempt }) => attempt === 2);
  expect(again?.eventId).toBe(one.got[0]?.eventId);
});

it("settles a delivery only for the member that holds it, and once", async () => {
  await make();
  const one = await member();
  await send(1);
  await engine.settle();
  const two = await member();
  const stranger = { ...one, subscription: two.subscription };
  const refused = { code: "not_found" };
  await expect(ack(stranger)).rejects.toMatchObject(refused);
  await ack(one);
  await expect(ack(one)).rejects.toMatchObject(refused);
  expect(lag()).toBe(0);
});

it("gives what a member held to others when it goes, and counts that it came", async () => {
  await make();
  const one = await member();
  await send(1);
  await engine.settle();
  one.subscription.close();
  const two = await member();
  expect(two.got).toMatchObject([{ attempt: 2, topic: "topic:orders" }]);
});

it("gives what could not be handed over to the next member", async () => {
  await make({ ackMode: "auto" });
  const one = await member();
  one.dead = true;
  await send(1);
  await engine.settle();
  expect(engine.core.groups.members(findGroup(engine.core, ENV, "g").id)).toBe(0);
  const two = await member();
  expect(two.values()).toEqual([1]);
  expect(lag()).toBe(0);
});

it("lets a delivery rest after a nak, and makes a dead letter of one that came too often", async () => {
  await make({ maxRedeliveries: 1, pattern: "events:order.*" });
  const { eventId } = await engine.emit("order.paid", { n: 1 });
  const one = await member("events:order.*");
  await settleWith("nak", 1_000)(one);
  await pass(999);
  expect(one.got).toHaveLength(1);
  await pass(1);
  expect(one.got).toMatchObject([{ attempt: 1 }, { attempt: 2, eventId }]);
  await settleWith("nak")(one, 1);
  await pass(GROUP_DEFAULTS.redeliverDelayMs);
  expect(one.got).toHaveLength(2);
  expect(deadLetters()).toMatchObject([
    {
      source: "system_event_publish",
      subject: "events:order.paid",
      event_id: eventId,
      error: "consumer group g: not acknowledged after 2 deliveries",
    },
  ]);
  expect(Buffer.from(deadLetters()[0]?.payload ?? []).toString()).toBe('{"n":1}');
});

it("forgets a delivery that is terminated", async () => {
  await make();
  await send(1);
  const one = await member();
  await settleWith("term")(one);
  await pass(GROUP_DEFAULTS.redeliverDelayMs);
  expect([one.got.length, lag(), deadLetters()]).toEqual([1, 0, []]);
});

it("keeps groups and what they have not acknowledged over a restart, and counts no delivery that the stop cut off", async () => {
  await make({ maxRedeliveries: 1 });
  for (const n of [1, 2, 3]) await send(n);
  const before = await member();
  await ack(before);
  await engine.stop();
  engine = await createHarness({ file });
  expect(findGroup(engine.core, ENV, "g")).toMatchObject({ pattern: "topic:orders", waiting: 2 });
  const after = await member();
  expect(after.values()).toEqual([2, 3]);
  expect(after.got.map(({ attempt }) => attempt)).toEqual([1, 1]);
});

it("holds no more at a member than the group says, nor at one that does not read", async () => {
  await make({ maxInflight: 2 });
  for (const n of [1, 2, 3, 4]) await send(n);
  const one = await member();
  expect(one.values()).toEqual([1, 2]);
  one.unread = 10_000_000;
  await ack(one);
  await pass(500);
  expect(one.values()).toEqual([1, 2]);
  one.unread = 0;
  await pass(500);
  expect(one.values()).toEqual([1, 2, 3]);
});

it("gives nothing while it is paused, goes on collecting, and gives it then", async () => {
  await make();
  const update = (message: object) =>
    engine.change((tx) => updateGroup(engine.core, tx, ENV, UpdateGroupRequest.parse(message)));
  await update({ group: { name: "g", status: "CONSUMER_GROUP_STATUS_PAUSED" }, updateMask: "status" });
  const one = await member();
  await send(1);
  await engine.settle();
  expect(one.got).toEqual([]);
  await update({ group: { name: "g", status: "ACTIVE", pattern: "topic:other" }, updateMask: "status" });
  await engine.settle();
  expect(one.values()).toEqual([1]);
  expect(findGroup(engine.core, ENV, "g").pattern).toBe("topic:orders");
  await expect(update({ group: { name: "g" } })).rejects.toMatchObject({ code: "invalid_argument" });
});

it("looks at the filter, and keeps what it cannot judge as a dead letter", async () => {
  await make({ filterExpr: "data.total > 10" });
  const one = await member();
  await send({ total: 5 });
  await send({ total: 50 });
  await send({});
  await engine.settle();
  expect(one.values()).toEqual([{ total: 50 }]);
  expect(deadLetters()).toMatchObject([{ source: "routing", subject: "topic:orders" }]);
});

it("does what its backpressure says when it is full", async () => {
  const groups = [
    await make({ name: "buffers", backpressure: "buffer" }),
    await make({ name: "drops", backpressure: "drop" }),
  ];
  await send(1);
  // Nobody is there to take it.
  expect(groups.map(({ name }) => findGroup(engine.core, ENV, name))).toMatchObject([
    { waiting: 1, dropped: 0 },
    { waiting: 0, dropped: 1 },
  ]);
  const blocks = await make({ name: "blocks", backpressure: "block" });
  engine.core.store.db.exec(
    `update consumer_groups set waiting = ${GROUP_LIMITS.waitingDeliveries} where name in ('blocks', 'buffers')`,
  );
  await expect(send(2)).rejects.toMatchObject({ code: "resource_exhausted" });
  expect(engine.core.store.topics.get(ENV, "orders")?.messages).toBe(1);
  await engine.change((tx) => deleteGroup(engine.core, tx, ENV, blocks.name));
  await send(3);
  expect(findGroup(engine.core, ENV, "buffers")).toMatchObject({ dropped: 1 });
});

it("tells its members that it was deleted, and takes what it had with it", async () => {
  await make();
  const one = await member();
  await send(1);
  await engine.settle();
  await engine.change((tx) => deleteGroup(engine.core, tx, ENV, "g"));
  expect(one.ended).toEqual(["consumer group g was deleted"]);
  expect(engine.core.store.db.prepare("select 1 from group_deliveries").get()).toBeUndefined();
  await pass(GROUP_DEFAULTS.redeliverDelayMs);
  expect(one.got).toHaveLength(1);
});

it("reaches what waits in a group with a redaction", async () => {
  await make({ pattern: "events:>" });
  const { eventId } = await engine.emit("secret", { card: "4711" });
  await engine.change((tx) => redactEvent(engine.core, tx, ENV, eventId));
  const one = await member("events:>");
  expect(JSON.stringify(one.values())).not.toContain("4711");
  expect(one.got[0]?.eventId).toBe(eventId);
});

it("keeps the time that a member has when the wall clock is set", async () => {
  await make();
  const one = await member();
  await send(1);
  await engine.settle();
  engine.clock.jump(3_600_000);
  await send(2);
  await engine.settle();
  expect(one.values()).toEqual([1, 2]);
  await pass(GROUP_DEFAULTS.redeliverDelayMs);
  expect(one.values().slice(0, 3)).toEqual([1, 2, 1]);
});

it("replays what is asked for, in order and before what comes then, once", async () => {
  for (const n of [1, 2, 3]) await send(n);
  await engine.emit("order.paid", { n: 4 });
  await send(9, "other");
  const newest = await member("topic:orders", { replay: 2 });
  const all = await member("*", { replay: 1000 });
  const events = await member("events:order.>", { replay: 5, filter: "data.n == 4" });
  const sequence = newest.got[0]?.sequence ?? 0;
  const after = await member("topic:orders", { startAfterSequence: sequence });
  await send(5);
  await engine.settle();
  expect(newest.values()).toEqual([2, 3, 5]);
  expect(all.values()).toEqual([1, 2, 3, 9, 5]);
  expect(events.got).toMatchObject([{ topic: "events:order.paid" }]);
  expect(after.values()).toEqual([3, 5]);
  const both = member("topic:orders", { replay: 1, startAfterSequence: 1 });
  await expect(both).rejects.toMatchObject({ code: "invalid_argument" });
});

it("gives what came during a replay after it, and cuts off who does not read it", async () => {
  for (const n of [1, 2]) await send(n);
  const slow: Sent[] = [];
  let unread = 10_000_000;
  const ended: string[] = [];
  const wanted = {
    environmentId: ENV,
    pattern: "topic:orders",
    options: SubscribeOptions.parse({ replay: 2 }),
    unread: "slow",
  };
  const subscription = await subscribe(engine.core, wanted, {
    isOpen: () => true,
    unreadBytes: () => unread,
    send: (sent) => slow.push(sent) > 0,
    onEnd: ({ message }) => ended.push(message),
  });
  subscription.begin();
  await send(3);
  expect(slow).toEqual([]);
  unread = 0;
  await pass(100);
  expect(slow.map(({ data }) => JSON.stringify(data))).toEqual([
    '{"text":"1"}',
    '{"text":"2"}',
    '{"text":"3"}',
  ]);
  unread = 10_000_000;
  const again = await subscribe(engine.core, wanted, {
    isOpen: () => true,
    unreadBytes: () => unread,
    send: () => true,
    onEnd: ({ message }) => ended.push(message),
  });
  again.begin();
  for (let n = 0; n < 5; n += 1) await send("x".repeat(1_000_000));
  await engine.settle();
  expect(ended).toEqual(["slow"]);
  expect(deadLetters()).toMatchObject([{ source: "system_event_publish", subject: "topic:orders" }]);
  subscription.close();
});

it("gives nothing to a member whose connection is being closed", async () => {
  await make({ ackMode: "auto" });
  const [leaving, staying] = [await member(), await member()];
  leaving.closing = true;
  await send(1);
  await engine.settle();
  expect([leaving.values(), staying.values()]).toEqual([[], [1]]);
  staying.closing = true;
  await send(2);
  await engine.settle();
  expect(lag(), "it waits for a member").toBe(1);
  expect((await member()).values()).toEqual([2]);
});

it("tells a member whose group was deleted before it began", async () => {
  const group = await make();
  const ended: string[] = [];
  const wanted = {
    environmentId: ENV,
    pattern: "topic:orders",
    options: SubscribeOptions.parse({ consumerGroup: "g" }),
    unread: "unread",
  };
  const subscription = await subscribe(engine.core, wanted, {
    isOpen: () => true,
    unreadBytes: () => 0,
    send: () => true,
    onEnd: ({ message }) => ended.push(message),
  });
  await engine.change((tx) => deleteGroup(engine.core, tx, ENV, "g"));
  subscription.begin();
  expect(ended).toEqual(["consumer group g was deleted"]);
  expect(engine.core.groups.members(group.id)).toBe(0);
  subscription.close();
});
