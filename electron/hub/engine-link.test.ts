import { beforeEach, describe, expect, it } from "vitest";
import type { McpSession } from "../../mcp/client/session.ts";
import { CONNECTION_URI } from "../../mcp/contract/live.ts";
import type { EmbeddedEngine } from "../children/engine.ts";
import type { Running } from "../children/supervisor.ts";
import type { ToolServerTarget } from "../children/tool-server.ts";
import { listedApplicationTool } from "../testing/rows.ts";
import { handClock } from "../testing/hand-clock.ts";
import { openEngineLink, type EngineLink, type EngineLinkOptions } from "./engine-link.ts";

/** Children that come up at once and end when the test says so. */
function kids() {
  const engines: { end: () => void }[] = [];
  const tools: { target: ToolServerTarget; end: () => void }[] = [];
  function running<T>(value: T, keep: (end: () => void) => void): Running<T> {
    let end = () => {};
    const ended = new Promise<string>((done) => (end = () => done("It ended.")));
    keep(end);
    return { value, ended, stop: async () => end() };
  }
  const news = new Set<() => void>();
  let engineNews = () => {};
  const state = { listed: [] as object[], engine: "connected" };
  const session = {
    listTools: async () => state.listed,
    onToolsChanged: (listener: () => void) => {
      news.add(listener);
      return () => void news.delete(listener);
    },
    onResourceUpdated: async (uri: string, listener: () => void) => {
      if (uri === CONNECTION_URI) engineNews = listener;
      return () => {};
    },
    readText: async (uri: string) => {
      expect(uri).toBe(CONNECTION_URI);
      return JSON.stringify({
        state: state.engine,
        live: "websocket",
        url: "x",
        version: "9.9",
        since: "now",
      });
    },
  } as unknown as McpSession;
  return {
    engines,
    tools,
    /** The tool server lists this from now on, and says so. */
    list(listed: object[]) {
      state.listed = listed;
      for (const listener of news) listener();
    },
    /** The tool server says this of the engine from now on. */
    engineIs(engine: "connected" | "unreachable") {
      state.engine = engine;
      engineNews();
    },
    url: "http://127.0.0.1:9123",
    async startEngine(): Promise<Running<EmbeddedEngine>> {
      return running({ url: this.url, apiKey: "secret-key" }, (end) => engines.push({ end }));
    },
    startTools: async (target: ToolServerTarget): Promise<Running<McpSession>> =>
      running(session, (end) => tools.push({ target, end })),
  };
}

let time: ReturnType<typeof handClock>;
let children: ReturnType<typeof kids>;
let changes: number;
let toolChanges: number;

beforeEach(() => {
  time = handClock();
  children = kids();
  changes = 0;
  toolChanges = 0;
});

async function open(options: Partial<EngineLinkOptions> = {}): Promise<EngineLink> {
  const link = openEngineLink({
    id: "local",
    name: "Embedded engine",
    source: { kind: "embedded", start: () => children.startEngine() },
    switches: { personMayWrite: true, agentsMayWrite: false, terminals: false },
    startTools: (target) => children.startTools(target),
    bridge: { url: undefined, address: async () => undefined },
    onConnection: () => void (changes += 1),
    onTools: () => void (toolChanges += 1),
    onChanged: () => {},
    clock: time.clock,
    now: () => new Date("2026-01-01T00:00:00Z"),
    ...options,
  });
  await time.settle();
  return link;
}

describe("a connection to the embedded engine", () => {
  it("starts the engine, then its tool server with the engine's address and key", async () => {
    const link = await open();
    expect(children.tools[0]?.target).toEqual({
      url: "http://127.0.0.1:9123",
      apiKey: "secret-key",
      allowWrites: true,
      bridge: undefined,
    });
    expect(link.describe()).toMatchObject({
      kind: "embedded",
      url: "http://127.0.0.1:9123",
      state: "connected",
      live: "websocket",
      engine_version: "9.9",
      person_may_write: true,
      agents_may_write: false,
    });
    expect(JSON.stringify(link.describe())).not.toContain("secret-key");
    expect(typeof link.session()).toBe("object");
    expect(changes).toBeGreaterThan(0);
    await link.stop();
  });

  it("gives the tool server the new address when the engine comes back elsewhere, and leaves it when it does not", async () => {
    const link = await open();
    children.engines[0]?.end();
    await time.settle();
    expect(link.describe().state).toBe("starting");
    await time.move(250);
    expect(children.tools).toHaveLength(1);
    expect(link.describe().state).toBe("connected");

    children.url = "http://127.0.0.1:4000";
    children.engines[1]?.end();
    await time.settle();
    await time.move(1_000);
    await time.move(250);
    expect(children.tools.at(-1)?.target.url).toBe("http://127.0.0.1:4000");
    expect(link.meta.url).toBe("http://127.0.0.1:4000");
    await link.stop();
  });

  it("says why there is no session when the engine has crashed for good", async () => {
    const link = await open({
      source: { kind: "embedded", start: () => Promise.reject(new Error("The disk is full.")) },
    });
    for (const ms of [250, 1_000, 4_000]) await time.move(ms);
    expect(link.describe()).toMatchObject({ state: "crashed", problem: "The disk is full." });
    expect(link.session()).toEqual({ why: "The disk is full.", state: "away" });
    await link.settled(new AbortController().signal);
    await link.stop();
    expect(children.tools).toEqual([]);
  });

  it("ends the tool server before the engine", async () => {
    const seen: string[] = [];
    const link = await open({
      source: {
        kind: "embedded",
        start: async () => {
          const running = await children.startEngine();
          return {
            ...running,
            stop: async () => {
              seen.push("engine");
              await running.stop();
            },
          };
        },
      },
      startTools: async (target) => {
        const running = await children.startTools(target);
        return {
          ...running,
          stop: async () => {
            seen.push("tools");
            await running.stop();
          },
        };
      },
    });
    await link.stop();
    expect(seen).toEqual(["tools", "engine"]);
  });
});

describe("the switches of a connection", () => {
  const remote = { kind: "remote", url: "https://engine.example", apiKey: "secret-key" } as const;
  const readOnly = { personMayWrite: false, agentsMayWrite: false, terminals: false };

  it("start the tool server without its write tools where nobody may write", async () => {
    const link = await open({ source: remote, switches: readOnly });
    expect(children.tools[0]?.target).toMatchObject({ url: "https://engine.example", allowWrites: false });
    await link.stop();
  });

  it("restart it with them when somebody may, and only then", async () => {
    const link = await open({ source: remote, switches: readOnly });
    link.setWrites({ agents: true });
    await time.settle();
    await time.move(250);
    expect(children.tools.map(({ target }) => target.allowWrites)).toEqual([false, true]);
    link.setWrites({ person: true });
    await time.settle();
    await time.move(250);
    expect(children.tools).toHaveLength(2);
    expect(link.describe()).toMatchObject({ person_may_write: true, agents_may_write: true });
    await link.stop();
  });

  it("taken away, cut off no change that is under way: the tool server goes once the last has ended", async () => {
    const link = await open({ source: remote, switches: { ...readOnly, agentsMayWrite: true } });
    const [first, second] = [link.changeBegins(), link.changeBegins()];
    link.setWrites({ agents: false });
    expect(link.switches.agentsMayWrite).toBe(false);
    await time.move(250);
    first();
    await time.move(250);
    expect(children.tools).toHaveLength(1);
    second();
    await time.settle();
    await time.move(250);
    expect(children.tools.map(({ target }) => target.allowWrites)).toEqual([true, false]);
    await link.stop();
  });

  it("taken away and given back meanwhile change nothing, and neither do they where terminals need the tools", async () => {
    const link = await open({ source: remote, switches: { ...readOnly, agentsMayWrite: true } });
    const end = link.changeBegins();
    link.setWrites({ agents: false });
    link.setWrites({ agents: true });
    end();
    await time.move(250);
    expect(children.tools).toHaveLength(1);
    await link.stop();

    const address = { url: "http://127.0.0.1:1", token: "t" };
    const withTerminals = await open({
      switches: { personMayWrite: true, agentsMayWrite: true, terminals: true },
      bridge: { url: address.url, address: async () => address },
    });
    withTerminals.setWrites({ agents: false, person: false });
    await time.move(250);
    expect(children.tools).toHaveLength(2); // one each
    await withTerminals.stop();
  });
});

describe("the tools of applications", () => {
  const REFUND = listedApplicationTool("shop.refund");
  const names = (link: EngineLink) => link.applicationRows.map(({ name }) => name);

  it("come and go as the tool server lists them, and each change is told once", async () => {
    const link = await open();
    expect([names(link), toolChanges]).toEqual([[], 0]);
    children.list([{ ...REFUND, name: "ironflow_delete_run" }, REFUND]);
    await time.settle();
    expect([names(link), toolChanges]).toEqual([["shop_refund"], 1]);
    children.list([REFUND]);
    await time.settle();
    expect(toolChanges).toBe(1);
    children.list([]);
    await time.settle();
    expect([names(link), toolChanges]).toEqual([[], 2]);
    await link.stop();
  });

  it("are gone while the engine is away, and the same rows when it is back", async () => {
    const link = await open();
    children.list([REFUND]);
    await time.settle();
    const [row] = link.applicationRows;
    children.engineIs("unreachable");
    await time.settle();
    expect([names(link), toolChanges]).toEqual([[], 2]);
    children.engineIs("connected");
    await time.settle();
    expect(link.applicationRows[0]).toBe(row);
    expect(toolChanges).toBe(3);
    await link.stop();
  });

  it("are gone while the tool server is", async () => {
    const link = await open();
    children.list([REFUND]);
    await time.settle();
    children.tools[0]?.end();
    await time.settle();
    expect([names(link), toolChanges]).toEqual([[], 2]);
    await time.move(60_000);
    expect(names(link)).toEqual(["shop_refund"]);
    await link.stop();
  });
});
