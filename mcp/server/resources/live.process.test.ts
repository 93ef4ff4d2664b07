import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../../loopback/testing/bundle.ts";
import { poll } from "../../../loopback/testing/poll.ts";
import { CONNECTION_URI, EngineConnection, liveUri } from "../../contract/live.ts";
import { newerEra } from "../../testing/engine-eras.ts";
import { stubEngine, type StubEngine } from "../../testing/stub-engine.ts";

let server: Bundle;
let engine: StubEngine;
let events = 1;

beforeAll(async () => {
  server = await bundleEntry(new URL("../main.ts", import.meta.url));
});
afterAll(() => server.remove());

beforeEach(async () => {
  engine = await stubEngine({
    ...newerEra(),
    "GET /api/v1/events": () => ({
      json: { events: [{ id: `evt_${events}`, name: "x", timestamp: "2026-11-30T09:00:00Z" }] },
    }),
  });
});
afterEach(() => engine.close());

async function connect(mode: "legacy" | { pin: string }, flags: string[]) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    updated.push(params.uri);
  });
  const args = [server.file, "--server-url", engine.url, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  return { client, updated };
}

const connection = async (client: Client) => {
  const { contents } = await client.readResource({ uri: CONNECTION_URI });
  const [content] = contents as { text: string }[];
  return EngineConnection.parse(JSON.parse(content?.text ?? ""));
};

describe.each([
  {
    era: "a handshake revision",
    mode: "legacy" as const,
    subscribe: (client: Client, uri: string) => client.subscribeResource({ uri }),
  },
  {
    era: "2026-07-28",
    mode: { pin: "2026-07-28" },
    subscribe: (client: Client, uri: string) => client.listen({ resourceSubscriptions: [uri] }),
  },
])("the live resources of --app for $era", ({ mode, subscribe }) => {
  it("tell of what was subscribed to, and of nothing else", async () => {
    const { client, updated } = await connect(mode, ["--app"]);
    try {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain(liveUri("events"));
      await subscribe(client, liveUri("events"));
      await poll("the polling", async () => (await connection(client)).live === "polling");
      updated.length = 0;
      const looks = () => engine.requests.filter(({ path }) => path === "/api/v1/events").length;
      const before = looks();
      await poll("a look", () => looks() > before);
      events += 1;
      await poll("the news", () => updated.length > 0);
      expect([...new Set(updated)]).toEqual([liveUri("events")]);
      await expect(client.readResource({ uri: "ironbridge://changes/nothing" })).rejects.toThrow(/not found/);
    } finally {
      await client.close();
    }
  });

  it("are not there without --app", async () => {
    const { client } = await connect(mode, []);
    expect(client.getServerCapabilities()).toMatchObject({ resources: {} });
    expect(client.getServerCapabilities()?.resources).not.toHaveProperty("subscribe");
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).not.toContain(liveUri("events"));
    await expect(client.readResource({ uri: CONNECTION_URI })).rejects.toThrow(/not found/);
    await client.close();
  });
});
