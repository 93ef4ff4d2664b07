import { poll } from "../../../loopback/testing/poll.ts";
import { expectLike, expectThat, isText, isTime } from "../like.ts";
import { withLive } from "../live-client.ts";
import type { Row } from "../row.ts";
import { openStream, type StreamClient } from "../stream-client.ts";
import { WAIT_MS, type Body, type Target } from "../target.ts";

const pubsub = (t: Target, method: string, message: Body) => t.rpc(`PubSubService/${method}`, message);
const publish = (t: Target, topic: string, n: number) => pubsub(t, "Publish", { topic, data: { n } });

/** A group of its own on a topic of its own, for as long as `work` takes. */
async function withGroup(
  t: Target,
  more: Body,
  work: (group: { name: string; topic: string; created: Body }) => Promise<void>,
): Promise<void> {
  const [name, topic] = [t.name("group"), t.name("topic")];
  const created = await pubsub(t, "CreateConsumerGroup", {
    name,
    pattern: `topic:${topic}`,
    ackMode: "ACK_MODE_MANUAL",
    ...more,
  });
  try {
    await work({ name, topic, created });
  } finally {
    await t.raw("POST", "/ironflow.v1.PubSubService/DeleteConsumerGroup", { body: { name } });
  }
}

async function withMembers(
  t: Target,
  groupName: string,
  count: number,
  work: (members: StreamClient[]) => Promise<void>,
): Promise<void> {
  const members: StreamClient[] = [];
  try {
    for (let n = 0; n < count; n += 1)
      members.push(await openStream(t, "PubSubService/JoinConsumerGroup", { groupName }));
    // Who asked to join is not yet who has joined.
    await poll(
      "the members",
      async () =>
        Number((await pubsub(t, "GetConsumerGroup", { name: groupName }))["memberCount"] ?? 0) === count,
      WAIT_MS,
    );
    await work(members);
  } finally {
    for (const member of members) member.close();
  }
}

const settle = (t: Target, groupName: string, delivery: Body, ackType: string, more: Body = {}) =>
  pubsub(t, "AckEvent", {
    groupName,
    consumerId: delivery["subscriptionId"],
    eventId: delivery["eventId"],
    ackType,
    ...more,
  });

const lagOf = async (t: Target, topic: string) =>
  Number((await pubsub(t, "GetTopicStats", { topic }))["lag"] ?? 0);

/** Sections 2.14 and 2.15: consumer groups, and what a subscription may ask for. */
export const groupRows: Row[] = [
  {
    id: "2.14.group-life",
    mark: "G",
    title:
      "a group is made with defaults, read, listed, changed by a mask, paused and deleted; its name counts once",
    check: (t) =>
      withGroup(t, {}, async ({ name, topic, created }) => {
        const shape = {
          id: isText,
          namespace: "default",
          name,
          pattern: `topic:${topic}`,
          ackMode: "ACK_MODE_MANUAL",
          backpressure: "BACKPRESSURE_MODE_BUFFER",
          maxInflight: 100,
          maxRedeliveries: 3,
          redeliverDelayMs: 5_000,
          status: "CONSUMER_GROUP_STATUS_ACTIVE",
          createdAt: isTime,
          updatedAt: isTime,
        };
        expectLike(created, shape);
        expectLike(await pubsub(t, "GetConsumerGroup", { name }), shape);
        const group = { name, maxInflight: 7, status: "CONSUMER_GROUP_STATUS_PAUSED" };
        const changed = await pubsub(t, "UpdateConsumerGroup", { group, updateMask: "maxInflight" });
        expectLike(changed, { ...shape, maxInflight: 7 });
        expectLike(await pubsub(t, "UpdateConsumerGroup", { group }), { status: /PAUSED$/ });
        const { groups } = await pubsub(t, "ListConsumerGroups", { status: "CONSUMER_GROUP_STATUS_PAUSED" });
        expectThat(
          "listed among the paused",
          (groups as Body[]).some((one) => one["name"] === name),
        );
        await t.rpcFails("PubSubService/CreateConsumerGroup", { name, pattern: "topic:a" }, "already_exists");
        await pubsub(t, "DeleteConsumerGroup", { name });
        for (const method of ["GetConsumerGroup", "DeleteConsumerGroup"])
          await t.rpcFails(`PubSubService/${method}`, { name }, "not_found");
      }),
  },
  {
    id: "2.14.group-list",
    mark: "G",
    title: "ListConsumerGroups has a cursor: every group comes once",
    check: (t) =>
      withGroup(t, {}, ({ name }) =>
        withGroup(t, {}, async ({ name: other }) => {
          const seen: unknown[] = [];
          let cursor: unknown = "";
          do {
            const page: Body = await pubsub(t, "ListConsumerGroups", { limit: 1, cursor });
            seen.push(...((page["groups"] ?? []) as Body[]).map((group) => group["name"]));
            cursor = page["nextCursor"];
          } while (cursor !== undefined);
          for (const wanted of [name, other])
            expectThat(`${wanted} once`, seen.filter((one) => one === wanted).length === 1);
        }),
      ),
  },
  {
    id: "2.14.group-bad",
    mark: "I",
    title:
      "a group without a name, with a pattern that is not kept or a filter that is none is refused by name",
    check: async (t) => {
      const refused = (message: Body) =>
        t.rpcFails("PubSubService/CreateConsumerGroup", message, "invalid_argument");
      expectLike(await refused({ pattern: "topic:a" }), /name/);
      expectLike(await refused({ name: t.name("bad"), pattern: "system.run.>" }), /pattern/);
      expectLike(
        await refused({ name: t.name("bad"), pattern: "topic:a", filterExpr: "data." }),
        /filter_expr/,
      );
      expectLike(await refused({ name: t.name("bad"), pattern: "topic:a", maxInflight: -1 }), /maxInflight/);
    },
  },
  {
    id: "2.14.group-share",
    mark: "G",
    title: "two members share what is published: each message comes to one of them, as attempt 1",
    check: (t) =>
      withGroup(t, {}, ({ name, topic }) =>
        withMembers(t, name, 2, async ([one, two]) => {
          if (one === undefined || two === undefined) return;
          for (let n = 1; n <= 4; n += 1) await publish(t, topic, n);
          // Both are free, so neither gets everything while the other waits.
          const got = [await one.next(), await two.next(), await one.next(), await two.next()];
          for (const delivery of got) {
            expectLike(delivery, { topic: `topic:${topic}`, eventId: isText, deliveryAttempt: 1 });
            await settle(t, name, delivery, "ACK_TYPE_ACK");
          }
          const numbers = got.map((delivery) => Number((delivery["data"] as Body)["n"]));
          expectLike(
            numbers.toSorted((a, b) => a - b),
            [1, 2, 3, 4],
          );
          expectThat("nothing is left", (await lagOf(t, topic)) === 0);
        }),
      ),
  },
  {
    id: "2.14.group-redelivery",
    mark: "G",
    title: "an unacknowledged delivery comes again with the next attempt, after the group's delay",
    check: (t) =>
      withGroup(t, { redeliverDelayMs: 300 }, ({ name, topic }) =>
        withMembers(t, name, 1, async ([member]) => {
          if (member === undefined) return;
          await publish(t, topic, 1);
          const first = await member.next();
          const again = await member.next();
          expectLike(again, { eventId: first["eventId"] as string, deliveryAttempt: 2 });
          await settle(t, name, again, "ACK_TYPE_ACK");
          expectThat("nothing is left", (await lagOf(t, topic)) === 0);
        }),
      ),
  },
  {
    id: "2.14.group-takeover",
    mark: "G",
    title: "what a member held comes to another one when it goes, also when there was none for a while",
    check: (t) =>
      withGroup(t, { redeliverDelayMs: 60_000 }, async ({ name, topic }) => {
        let eventId: unknown;
        await withMembers(t, name, 1, async ([member]) => {
          await publish(t, topic, 1);
          eventId = (await member?.next())?.["eventId"];
        });
        expectThat("it is still owed", (await lagOf(t, topic)) === 1);
        await withMembers(t, name, 1, async ([member]) => {
          expectLike(await member?.next(), { eventId: eventId as string, deliveryAttempt: 2 });
        });
      }),
  },
  {
    id: "2.14.ack-event",
    mark: "G",
    title:
      "AckEvent settles for the member that got the event only; nak brings it again after the delay, term never",
    check: (t) =>
      withGroup(t, { redeliverDelayMs: 60_000 }, ({ name, topic }) =>
        withMembers(t, name, 1, async ([member]) => {
          if (member === undefined) return;
          await publish(t, topic, 1);
          const first = await member.next();
          const of = (more: Body) => ({
            groupName: name,
            consumerId: first["subscriptionId"],
            eventId: first["eventId"],
            ackType: "ACK_TYPE_ACK",
            ...more,
          });
          await t.rpcFails("PubSubService/AckEvent", of({ consumerId: "sub_other" }), "not_found");
          const unspecified = of({ ackType: "ACK_TYPE_UNSPECIFIED" });
          await t.rpcFails("PubSubService/AckEvent", unspecified, "invalid_argument");
          await settle(t, name, first, "ACK_TYPE_NAK", { redeliverDelayMs: 50 });
          const again = await member.next();
          expectLike(again, { eventId: first["eventId"] as string, deliveryAttempt: 2 });
          await settle(t, name, again, "ACK_TYPE_TERM");
          await t.rpcFails("PubSubService/AckEvent", of({}), "not_found");
          expectThat("nothing is left", (await lagOf(t, topic)) === 0);
        }),
      ),
  },
  {
    id: "2.14.group-exhausted",
    mark: "I",
    title: "a delivery that came as often as the group allows becomes a dead letter",
    check: (t) =>
      withGroup(t, { maxRedeliveries: 1 }, ({ name, topic }) =>
        withMembers(t, name, 1, async ([member]) => {
          if (member === undefined) return;
          await publish(t, topic, 1);
          await settle(t, name, await member.next(), "ACK_TYPE_NAK", { redeliverDelayMs: 1 });
          const last = await member.next();
          await settle(t, name, last, "ACK_TYPE_NAK", { redeliverDelayMs: 1 });
          const path = "/api/v1/dead-letters?env=env_default&source=system_event_publish&limit=500";
          const { items } = (await t.get(path)) as { items: Body[] };
          const own = items.filter((item) => item["event_id"] === last["eventId"]);
          expectLike(own, [{ subject: `topic:${topic}`, error: /after 2 deliveries/ }]);
        }),
      ),
  },
  {
    id: "2.14.topic-lag",
    mark: "S",
    title: "GetTopicStats tells how far a group is behind, and how many consume",
    check: (t) =>
      withGroup(t, { redeliverDelayMs: 60_000 }, async ({ name, topic }) => {
        for (let n = 1; n <= 3; n += 1) await publish(t, topic, n);
        expectThat("three are owed", (await lagOf(t, topic)) === 3);
        await withMembers(t, name, 1, async ([member]) => {
          if (member === undefined) return;
          expectLike(await pubsub(t, "GetTopicStats", { topic }), { consumerCount: 1 });
          await settle(t, name, await member.next(), "ACK_TYPE_ACK");
          expectThat("two are owed", (await lagOf(t, topic)) === 2);
        });
      }),
  },
  {
    id: "2.14.group-events",
    mark: "G",
    title: "a group takes events too, and its filter looks at their data",
    check: async (t) => {
      const name = t.name("sold");
      const more = { pattern: `events:${name}`, filterExpr: "data.total > 10", ackMode: "ACK_MODE_AUTO" };
      await withGroup(t, more, (group) =>
        withMembers(t, group.name, 1, async ([member]) => {
          await t.emit(name, { total: 5 });
          const { eventId } = await t.emit(name, { total: 50 });
          expectLike(await member?.next(), { topic: `events:${name}`, eventId });
        }),
      );
    },
  },
  {
    id: "2.15.group-websocket",
    mark: "S",
    title:
      "a subscription with a consumer group and manual acknowledgement: nak brings the event again, ack does not",
    check: (t) =>
      withGroup(t, { redeliverDelayMs: 60_000 }, ({ name, topic }) =>
        withLive(t, async (live) => {
          const pattern = `topic:${topic}`;
          const subscriptionId = await live.subscribe(pattern, { consumerGroup: name, ackMode: "manual" });
          const { eventId } = await publish(t, topic, 1);
          const deliveries = () => live.frames.filter((frame) => frame["eventId"] === eventId);
          expectLike(await live.event("the delivery", (frame) => frame["eventId"] === eventId), {
            subscriptionId,
            topic: pattern,
          });
          live.send({ type: "ack", eventId, ackType: "nak", redeliverDelay: 50, subscriptionId });
          await poll("the second delivery", () => deliveries().length === 2, WAIT_MS);
          live.send({ type: "ack", eventId, ackType: "ack" });
          await poll("the acknowledgement", async () => (await lagOf(t, topic)) === 0, WAIT_MS);
          expectThat("two deliveries", deliveries().length === 2);
        }),
      ),
  },
  {
    id: "2.15.group-made",
    mark: "I",
    title: "a subscription to a group that does not exist makes it; another pattern for it is refused",
    check: (t) =>
      withLive(t, async (live) => {
        const [name, topic] = [t.name("made"), t.name("topic")];
        await live.subscribe(`topic:${topic}`, { consumerGroup: name, ackMode: "manual" });
        expectLike(await pubsub(t, "GetConsumerGroup", { name }), {
          pattern: `topic:${topic}`,
          memberCount: 1,
        });
        const refused = await live.subscribe("topic:other", { consumerGroup: name }).then(
          () => "",
          (error: unknown) => String(error),
        );
        expectLike(refused, /pattern/);
        await pubsub(t, "DeleteConsumerGroup", { name });
        await poll("its end", () => live.frames.some(({ type }) => type === "subscription_error"), WAIT_MS);
      }),
  },
  {
    id: "2.15.replay",
    mark: "S",
    title: "replay brings the newest messages of before first, and at most 1000",
    check: (t) =>
      withLive(t, async (live) => {
        const topic = t.name("topic");
        for (let n = 1; n <= 3; n += 1) await publish(t, topic, n);
        const tooMany = await live.subscribe(`topic:${topic}.x`, { replay: 1001 }).then(
          () => "taken",
          (error: unknown) => String(error),
        );
        expectThat("1001 are refused", tooMany !== "taken");
        await live.subscribe(`topic:${topic}`, { replay: 2 });
        await publish(t, topic, 4);
        const numbers = () =>
          live.frames.flatMap((frame) => (frame["type"] === "event" ? [(frame["data"] as Body)["n"]] : []));
        await poll("three messages", () => numbers().length === 3, WAIT_MS);
        expectLike(numbers(), [2, 3, 4]);
      }),
  },
  {
    id: "2.15.resume",
    mark: "G",
    title: "start_after_sequence goes on after a message, and not together with replay or a group",
    check: async (t) => {
      const topic = t.name("topic");
      const first = await publish(t, topic, 1);
      await publish(t, topic, 2);
      const pattern = `topic:${topic}`;
      const open = (options: Body) => openStream(t, "PubSubService/Subscribe", { pattern, options });
      const startAfterSequence = first["sequence"];
      const stream = await open({ startAfterSequence });
      const message = await stream.next();
      stream.close();
      expectLike(message["data"], { n: 2 });
      expectThat("its number is later", Number(message["sequence"]) > Number(startAfterSequence));
      for (const more of [{ replay: 1 }, { consumerGroup: t.name("none") }]) {
        const refused = await open({ startAfterSequence, ...more });
        await refused.next().then(
          () => expectThat("refused", false),
          (error: unknown) => expectLike(String(error), /invalid_argument/),
        );
        refused.close();
      }
    },
  },
  {
    id: "2.15.filter",
    mark: "S",
    title: "filter is CEL over the message, includeMetadata adds time and number",
    check: (t) =>
      withLive(t, async (live) => {
        const topic = t.name("topic");
        await live.subscribe(`topic:${topic}`, { filter: "data.n > 1", includeMetadata: true });
        for (let n = 1; n <= 2; n += 1) await publish(t, topic, n);
        const frame = await live.event("the message", (one) => one["topic"] === `topic:${topic}`);
        expectLike(frame, { data: { n: 2 }, meta: { timestamp: isTime, sequence: (n) => Number(n) > 0 } });
        const bad = await live.subscribe(`topic:${topic}.x`, { filter: "data." }).then(
          () => "",
          (error: unknown) => String(error),
        );
        expectLike(bad, /filter/);
      }),
  },
  {
    id: "2.15.bidirectional",
    mark: "G",
    title: "SubscribeBidirectional answers unimplemented",
    check: async (t) => {
      const answer = await t.raw("POST", "/ironflow.v1.PubSubService/SubscribeBidirectional", { body: {} });
      expectThat("refused", answer.status === 404 || answer.status === 501 || answer.status === 415);
    },
  },
];
