import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { poll } from "../loopback/testing/poll.ts";
import { openLive } from "./conformance/live-client.ts";
import { ListDeadLettersResponse } from "./contract/operations.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";

/** Subscribers that stop reading, over real sockets: nothing is injected, the kernel's buffers fill up. */

let factory: EngineFactory;
let engine: EngineProcess;
const open: { destroy(): void }[] = [];

beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start();
});

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

afterAll(() => factory.close());

const letters = async () =>
  ListDeadLettersResponse.parse(
    (await engine.rest("/api/v1/dead-letters?env=env_default&source=system_event_publish&limit=500")).body,
  ).items;

/** A WebSocket that asked for a topic and reads nothing any more. */
async function deafWebSocket(pattern: string): Promise<void> {
  const socket = new WebSocket(`${engine.url.replace(/^http/, "ws")}/ws?env=default`);
  open.push({ destroy: () => socket.terminate() });
  socket.on("error", () => socket.terminate());
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "subscribe", subscription: { pattern } }));
  await once(socket, "message");
  socket.pause();
}

/** A Connect stream whose client sent its request and reads nothing after the head of the answer. */
async function deafStream(pattern: string): Promise<void> {
  const { hostname, port } = new URL(engine.url);
  const socket: Socket = connect(Number(port), hostname);
  open.push(socket);
  socket.on("error", () => socket.destroy());
  const message = Buffer.from(JSON.stringify({ pattern }));
  const body = Buffer.concat([Buffer.alloc(5), message]);
  body.writeUInt32BE(message.length, 1);
  socket.write(
    [
      "POST /ironflow.v1.PubSubService/Subscribe HTTP/1.1",
      `Host: ${hostname}:${port}`,
      "Content-Type: application/connect+json",
      `Content-Length: ${body.length}`,
      "",
      "",
    ].join("\r\n"),
  );
  socket.write(body);
  await once(socket, "data");
  socket.pause();
}

it.each([
  ["WebSocket", deafWebSocket],
  ["Connect stream", deafStream],
])(
  "keeps what a %s that stopped reading was not given as a dead letter; others get everything",
  async (kind, deafen) => {
    const topic = `big.${kind.replace(" ", "-").toLowerCase()}`;
    const reader = await openLive({ url: engine.url, apiKey: undefined });
    open.push({ destroy: () => reader.close() });
    await reader.subscribe(`topic:${topic}`);
    await deafen(`topic:${topic}`);
    await poll("both subscriptions", async () => {
      await engine.ask("PubSubService/Publish", { topic, data: { n: 0 } });
      return (await engine.ask("PubSubService/GetTopicStats", { topic }))["consumerCount"] === 2;
    });
    const text = "x".repeat(1_000_000);
    const published: string[] = [];
    const own = async () => (await letters()).filter((item) => item.subject === `topic:${topic}`);
    await poll("a dead letter", async () => {
      const n = published.length;
      const { eventId } = await engine.ask("PubSubService/Publish", { topic, data: { n, text } });
      published.push(String(eventId));
      return (await own()).length > 0;
    });
    const [letter, ...more] = await own();
    // Cut off once, at one notice: what it missed later is on the topic.
    expect(more).toEqual([]);
    expect(letter).toMatchObject({
      error: expect.stringMatching(/cut off with more than 4194304 bytes unread/),
    });
    expect(published).toContain(letter?.event_id);
    const payload = JSON.parse(Buffer.from(letter?.payload ?? "", "base64").toString("utf8")) as {
      n: number;
    };
    expect(published[payload.n]).toBe(letter?.event_id);
    const got = () => reader.frames.flatMap((frame) => (frame["type"] === "event" ? [frame["eventId"]] : []));
    await poll("everything at the one that reads", () => published.every((id) => got().includes(id)));
  },
);

it("hands the share of a group's member that stopped reading to the one that reads, without a dead letter", async () => {
  const topic = "shared";
  const group = { name: "deaf", pattern: `topic:${topic}`, ackMode: "manual", redeliverDelayMs: 1_000 };
  await engine.ask("PubSubService/CreateConsumerGroup", { ...group, maxRedeliveries: 1_000 });
  const { hostname, port } = new URL(engine.url);
  const socket: Socket = connect(Number(port), hostname);
  open.push(socket);
  socket.on("error", () => socket.destroy());
  const message = Buffer.from(JSON.stringify({ groupName: group.name }));
  const body = Buffer.concat([Buffer.alloc(5), message]);
  body.writeUInt32BE(message.length, 1);
  socket.write(
    `POST /ironflow.v1.PubSubService/JoinConsumerGroup HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/connect+json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  await once(socket, "data");
  socket.pause();
  const reader = await openLive({ url: engine.url, apiKey: undefined });
  open.push({ destroy: () => reader.close() });
  await reader.subscribe(group.pattern, { consumerGroup: group.name });
  const text = "x".repeat(1_000_000);
  const wanted = new Set<string>();
  for (let n = 0; n < 30; n += 1)
    wanted.add(String((await engine.ask("PubSubService/Publish", { topic, data: { n, text } }))["eventId"]));
  const done = new Set<string>();
  await poll("every message at the one that reads", () => {
    for (const frame of reader.frames) {
      const { eventId } = frame;
      if (frame["type"] !== "event" || typeof eventId !== "string" || done.has(eventId)) continue;
      done.add(eventId);
      reader.send({ type: "ack", eventId, ackType: "ack" });
    }
    return done.size === wanted.size;
  });
  expect(done).toEqual(wanted);
  expect((await letters()).filter((item) => item.subject === group.pattern)).toEqual([]);
});
