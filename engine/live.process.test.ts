import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { poll } from "../loopback/testing/poll.ts";
import { ServerFrame } from "./contract/live.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "./testing/function-server.ts";

let factory: EngineFactory;
let functions: FunctionServer;
let engine: EngineProcess;
const clients: WebSocket[] = [];

beforeAll(async () => {
  factory = await createEngineFactory();
  functions = await createFunctionServer({
    order: async ({ steps }) => {
      await steps.run("pay", () => 1);
      return "ok";
    },
    down: () => 503,
  });
  engine = await factory.start({ flags: [] });
  await engine.ask("RegisterFunction", {
    id: "order",
    triggers: [{ event: "order.placed" }],
    endpointUrl: functions.endpoint("order"),
  });
  await engine.ask("RegisterFunction", {
    id: "down",
    triggers: [{ event: "ship" }],
    endpointUrl: functions.endpoint("down"),
    retry: { maxAttempts: 5, initialDelayMs: 1 },
  });
  await engine.ask("RegisterFunction", {
    id: "strict",
    triggers: [{ event: "odd", expression: "data.a.b == 1" }],
    endpointUrl: functions.endpoint("order"),
  });
});

afterEach(() => {
  for (const client of clients.splice(0)) client.terminate();
});

afterAll(async () => {
  await functions.close();
  await factory.close();
});

interface Client {
  socket: WebSocket;
  frames: ServerFrame[];
  topics(): string[];
}

async function connect(query: string, headers: Record<string, string> = {}): Promise<Client> {
  const socket = new WebSocket(`${engine.url.replace("http", "ws")}/ws${query}`, { headers });
  clients.push(socket);
  const frames: ServerFrame[] = [];
  socket.on("message", (raw: Buffer) => frames.push(ServerFrame.parse(JSON.parse(raw.toString("utf8")))));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
  return {
    socket,
    frames,
    topics: () => frames.flatMap((frame) => (frame.type === "event" ? [frame.topic] : [])),
  };
}

async function subscribe(client: Client, pattern: string): Promise<string> {
  client.socket.send(JSON.stringify({ type: "subscribe", subscription: { pattern } }));
  return poll("the subscription", () => {
    for (const frame of client.frames) {
      if (frame.type !== "subscription_result") continue;
      const result = frame.results.find((one) => one.pattern === pattern);
      if (result !== undefined) return result.subscriptionId ?? "refused";
    }
    return undefined;
  });
}

const withKey = () => `?env=default&token=${engine.key}`;

it("tells the life of a run, its steps and its event to those who asked for them", async () => {
  const runs = await connect(withKey());
  await subscribe(runs, "system.run.>");
  const events = await connect(withKey());
  await subscribe(events, "events:order.*");
  const { eventId, runIds } = await engine.ask("Emit", { event: "order.placed", data: { n: 1 } });
  const id = String((runIds as string[])[0]);
  await poll("completion", () => runs.topics().includes(`system.run.${id}.completed`));
  expect(runs.topics()).toEqual([
    `system.run.${id}.created`,
    `system.run.${id}.step.${id}:pay:0.created`,
    `system.run.${id}.step.${id}:pay:0.completed`,
    `system.run.${id}.completed`,
  ]);
  expect(runs.frames.at(-1)).toMatchObject({ data: { run_id: id, status: "completed", output: "ok" } });
  await poll("the event", () => events.topics().length > 0);
  expect(events.frames.at(-1)).toMatchObject({
    topic: "events:order.placed",
    eventId,
    data: { data: { n: 1 } },
  });
  expect(events.topics()).toHaveLength(1);
});

it("tells breakers, dead letters and functions", async () => {
  const client = await connect(withKey());
  for (const pattern of ["system.breaker.>", "system.dead_letter.>", "system.function.>"])
    await subscribe(client, pattern);
  await engine.ask("Emit", { event: "odd", data: {} });
  await engine.ask("Emit", { event: "ship", data: {} });
  await engine.ask("UpdateFunctionStatus", { id: "strict", status: "paused" });
  const wanted = [
    "system.dead_letter.routing.created",
    "system.breaker.down.open",
    "system.function.strict.updated",
  ];
  await poll("all three", () => wanted.every((topic) => client.topics().includes(topic)));
  expect(client.topics().every((topic) => !topic.startsWith("system.run"))).toBe(true);
});

it("sends nothing more after an unsubscribe, and answers a bad frame with an error", async () => {
  const client = await connect(withKey());
  const id = await subscribe(client, "events:>");
  client.socket.send(JSON.stringify({ type: "unsubscribe", subscriptionId: id }));
  for (const bad of ["no json", '{"type":"subscribe","subscription":{}}', '{"type":"x"}'])
    client.socket.send(bad);
  await poll("the errors", () => client.frames.filter(({ type }) => type === "error").length === 3);
  await engine.ask("Emit", { event: "order.placed", data: {} });
  await subscribe(client, "marker.>");
  expect(client.topics()).toEqual([]);
  expect(JSON.stringify(client.frames)).toMatch(/subscription.pattern/);
});

it.each([
  ["no key", "", {}, 401],
  ["a wrong key", "?token=ifkey_wrong", {}, 401],
  ["a foreign origin", "KEY", { origin: "http://evil.test" }, 403],
  ["its own origin", "KEY", { origin: "OWN" }, 403],
  ["a foreign host", "KEY", { host: "evil.test" }, 403],
  ["another environment", "KEY&env=env_other", {}, 403],
])("refuses a client with %s", async (_, query, headers, status) => {
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === "OWN" ? engine.url : value]),
  );
  await expect(connect(query.replace("KEY", `?token=${engine.key}`), own)).rejects.toThrow(`${status}`);
});

it("closes a client that does not read, and serves the others", async () => {
  const slow = await connect(withKey());
  await subscribe(slow, "events:big");
  const quick = await connect(withKey());
  await subscribe(quick, "events:big");
  const closed = new Promise<void>((resolve) => slow.socket.once("close", () => resolve()));
  // Only the kernel's buffers take what comes from now on.
  slow.socket.pause();
  const text = "x".repeat(1_000_000);
  let sent = 0;
  await poll("the slow client to be closed", async () => {
    await engine.ask("Emit", { event: "big", data: { text } });
    sent += 1;
    return engine.stderr().includes("does not read");
  });
  slow.socket.resume();
  await closed;
  await poll("every event at the quick client", () => quick.topics().length === sent);
  expect(slow.topics().length).toBeLessThan(sent);
});
