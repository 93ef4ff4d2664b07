import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { poll } from "../../loopback/testing/poll.ts";
import { LiveTopic, type EngineConnection } from "../contract/live.ts";
import { createIronflowEngine } from "../engines/ironflow.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine, type StubRoute } from "../testing/stub-engine.ts";
import { EngineWatch } from "./watch.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function stub(routes: Record<string, StubRoute> = {}, port = 0): Promise<StubEngine> {
  const engine = await stubEngine({ ...newerEra(), ...routes }, port);
  closing.push(() => engine.close());
  return engine;
}

function watching(engine: { url: string }, apiKey?: string) {
  const topics: LiveTopic[] = [];
  const states: EngineConnection[] = [];
  const watch = new EngineWatch({
    engine: createIronflowEngine({ baseUrl: engine.url, apiKey, limits: { firstDelayMs: 1 } }),
    apiKey,
    onChanged: (topic) => topics.push(topic),
    onConnection: (connection) => states.push(connection),
    times: { firstRetryMs: 20, lastRetryMs: 40, pollMs: 20, pollForMs: 60_000 },
  });
  closing.push(() => watch.close());
  watch.start();
  return { watch, topics, states };
}

type Socketed = {
  readonly sockets: WebSocket[];
  readonly headers: Record<string, unknown>[];
  readonly urls: string[];
  /** Sends an event frame for a pattern to everybody. */
  tell(pattern: string): void;
};

/** Lets the stub speak the live protocol; patterns in `refused` are answered with an error. */
function serveSockets(engine: StubEngine, refused: readonly string[] = []): Socketed {
  const server = new WebSocketServer({ server: engine.server, path: "/ws" });
  const sockets: WebSocket[] = [];
  const headers: Record<string, unknown>[] = [];
  const urls: string[] = [];
  server.on("connection", (socket, request) => {
    sockets.push(socket);
    headers.push(request.headers);
    urls.push(request.url ?? "");
    socket.on("message", (data: Buffer) => {
      const { subscription } = JSON.parse(data.toString()) as { subscription: { pattern: string } };
      const { pattern } = subscription;
      const result = refused.includes(pattern)
        ? { pattern, status: "error", code: "invalid_argument" }
        : { pattern, status: "ok", subscriptionId: `sub ${pattern}` };
      socket.send(JSON.stringify({ type: "subscription_result", results: [result] }));
    });
  });
  closing.push(async () => {
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  const tell = (pattern: string) => {
    const frame = { type: "event", subscriptionId: `sub ${pattern}`, topic: "x", data: {} };
    for (const socket of sockets) socket.send(JSON.stringify(frame));
  };
  return { sockets, headers, urls, tell };
}

const isLive = (live: string) => (states: EngineConnection[]) => states.at(-1)?.live === live;
const all = [...LiveTopic.options].sort();
const sorted = (topics: LiveTopic[]) => [...new Set(topics)].sort();

describe("an engine with a WebSocket", () => {
  it("is heard of topic by topic, with the key in the header and not in the address", async () => {
    const engine = await stub();
    const live = serveSockets(engine);
    const { topics, states } = watching(engine, "ifkey_secret");
    await poll("the subscription", () => isLive("websocket")(states));
    expect(states.at(-1)).toMatchObject({ state: "connected", version: "0.53.0", url: engine.url });
    expect(sorted(topics)).toEqual(all);
    expect(live.headers[0]).toMatchObject({ authorization: "Bearer ifkey_secret" });
    expect(live.urls).toEqual(["/ws"]);
    topics.length = 0;
    live.tell("system.run.>");
    live.tell("events:>");
    live.tell("system.dead_letter.>");
    live.tell("system.outbox.>");
    live.tell("something else");
    await poll("four news", () => topics.length === 4);
    expect([...topics].sort()).toEqual(["dead_letters", "dead_letters", "events", "runs"]);
  });

  it("is connected to again when the connection was lost, and everything counts as changed", async () => {
    const engine = await stub();
    const live = serveSockets(engine);
    const { topics, states } = watching(engine);
    await poll("the first connection", () => isLive("websocket")(states));
    topics.length = 0;
    live.sockets[0]?.terminate();
    await poll("the second connection", () => live.sockets.length === 2 && topics.length >= all.length);
    expect(sorted(topics)).toEqual(all);
  });

  it("is polled for a topic that it refuses to tell of", async () => {
    const engine = await stub();
    const live = serveSockets(engine, ["system.run.>"]);
    const { topics, states } = watching(engine);
    await poll("the subscription", () => isLive("websocket")(states));
    topics.length = 0;
    const seen = engine.requests.length;
    await poll("a second look", () => engine.requests.length > seen + 1);
    engine.routes["POST /ironflow.v1.IronflowService/ListRuns"] = () => ({
      json: { runs: [], totalCount: 0 },
    });
    await poll("the change", () => topics.includes("runs"));
    expect(sorted(topics)).toEqual(["runs"]);
    expect(live.sockets).toHaveLength(1);
  });
});

describe("an engine without a WebSocket", () => {
  it("is polled, and what it lacks is left in peace", async () => {
    let events = 1;
    const engine = await stub({
      "GET /api/v1/events": () => ({
        json: { events: [{ id: `evt_${events}`, name: "x", timestamp: "2026-11-30T09:00:00Z" }] },
      }),
      "GET /api/v1/circuit-breakers": () => ({ status: 404, text: "404 page not found" }),
    });
    const { topics, states } = watching(engine);
    await poll("polling", () => isLive("polling")(states));
    expect(sorted(topics)).toEqual(all);
    topics.length = 0;
    const asked = (path: string) => engine.requests.filter((request) => request.path === path).length;
    await poll("two looks", () => asked("/api/v1/events") >= 2);
    events = 2;
    await poll("the new event", () => topics.length > 0);
    await poll("more looks", () => asked("/api/v1/events") >= 12);
    expect(topics).toEqual(["events"]);
    expect(asked("/api/v1/circuit-breakers")).toBe(1);
  });
});

describe("an engine that is not to be had", () => {
  it("is unreachable until it is there", async () => {
    const first = await stub();
    const { port } = first.server.address() as AddressInfo;
    await first.close();
    const { states } = watching(first);
    await poll("unreachable", () => states.at(-1)?.state === "unreachable");
    expect(states.at(-1)?.error).toContain("ECONNREFUSED");
    const engine = await stub({}, port);
    serveSockets(engine);
    await poll("connected", () => states.at(-1)?.state === "connected");
    expect(states.at(-1)).not.toHaveProperty("error");
  });

  it("is unreachable again when it goes", async () => {
    const engine = await stub();
    const live = serveSockets(engine);
    const { states } = watching(engine);
    await poll("connected", () => states.at(-1)?.state === "connected");
    engine.server.close();
    engine.server.closeAllConnections();
    for (const socket of live.sockets) socket.terminate();
    await poll("unreachable", () => states.at(-1)?.state === "unreachable");
    expect(states.at(-1)).toMatchObject({ live: "none", url: engine.url });
  });

  it.each([
    ["ifkey_wrong", "the engine refuses the API key"],
    [undefined, "the engine wants an API key, and none is set"],
  ])("says when it does not let the key %s in", async (key, error) => {
    const engine = await stub({
      "POST /ironflow.v1.IronflowService/Info": () => ({
        status: 401,
        json: { code: "unauthenticated", message: "authentication required" },
      }),
    });
    const { states } = watching(engine, key);
    await poll("unauthorized", () => states.at(-1)?.state === "unauthorized");
    expect(states.at(-1)).toMatchObject({ error });
    expect(JSON.stringify(states)).not.toContain("ifkey_wrong");
  });
});

it("leaves nothing under way when it is closed, in any state", async () => {
  const engine = await stub();
  const live = serveSockets(engine);
  const { watch, states } = watching(engine);
  await poll("connected", () => isLive("websocket")(states));
  await watch.close();
  await poll("the socket is closed", () => live.sockets[0]?.readyState === 3);
  const calls = engine.requests.length;
  const { watch: early } = watching(engine);
  await early.close();
  expect(engine.requests.length - calls).toBeLessThanOrEqual(2);
});
