import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "../../electron/contract/connection.ts";
import type { Door } from "../window.ts";
import { handClock, settle } from "./hand-clock.test-help.ts";
import { dataOf } from "./reading.ts";
import { createAppStore } from "./store.ts";

// The store is used without a page: whatever it imports, React is not in it.
vi.mock("react", () => {
  throw new Error("the store imports React");
});
vi.mock("react-dom", () => {
  throw new Error("the store imports React");
});

const connection = (id: string, change: Partial<Connection> = {}): Connection => ({
  id,
  name: id,
  kind: "embedded",
  url: "http://127.0.0.1:1",
  state: "connected",
  live: "websocket",
  person_may_write: true,
  agents_may_write: false,
  since: "2026-01-01T00:00:00Z",
  ...change,
});

type Call = { tool: string; connection: string; arguments: Record<string, unknown> };

/** Main, as far as the store sees it: answers and events that a test decides. */
function fakeMain() {
  const listeners = new Map<string, Set<(body: never) => void>>();
  const calls: Call[] = [];
  const main = {
    connections: [connection("a")],
    answer: (_call: Call): unknown => ({
      ok: false,
      error: { error: "no such tool", code: "not_found", retryable: false },
    }),
  };
  const door = {
    async request(name: string, argument: unknown) {
      if (name === "connections:list") return main.connections;
      if (name === "settings:get") return { theme: "dark", time_zone: "utc" };
      if (name === "settings:set") throw new Error("the disk is full");
      if (name === "app:info") return { name: "x", version: "1", electron: "1", platform: "p", mcp_url: "u" };
      if (name === "tool:call") {
        const call = argument as Call;
        calls.push(call);
        return main.answer(call);
      }
      throw new Error(`unexpected ${name}`);
    },
    listen(name: string, listener: (body: never) => void) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => set.delete(listener);
    },
    listenForPorts: () => () => {},
  } as unknown as Door;
  const tell = (name: string, body: unknown) => {
    for (const listener of listeners.get(name) ?? []) listener(body as never);
  };
  return { main, door, calls, tell };
}

let main: ReturnType<typeof fakeMain>;
let clock: ReturnType<typeof handClock>;
let store: ReturnType<typeof createAppStore>;

beforeEach(async () => {
  main = fakeMain();
  clock = handClock(1_000_000);
  store = createAppStore(main.door, clock);
  store.getState().followConnections();
  await settle();
});

const breakers = (state: string) => ({
  ok: true,
  data: { items: [{ key: "k", function_id: "f", endpoint: "e", state, consecutive_fails: 5 }] },
});

describe("the store", () => {
  test("reads a page's data, and again within a moment of a change of its topic only", async () => {
    main.main.answer = () => breakers("open");
    store.getState().openBreakers();
    await settle();
    expect(dataOf(store.getState().breakers)?.[0]?.state).toBe("open");
    main.main.answer = () => breakers("closed");
    main.tell("data:changed", { connection: "a", topic: "events" });
    main.tell("data:changed", { connection: "other", topic: "breakers" });
    await clock.advance(1_000);
    expect(main.calls).toHaveLength(1);
    main.tell("data:changed", { connection: "a", topic: "breakers" });
    await clock.advance(1_000);
    expect(dataOf(store.getState().breakers)?.[0]?.state).toBe("closed");
  });

  test("a failed refresh leaves the data stale with the time it was read, and a reconnect reads again", async () => {
    main.main.answer = () => breakers("open");
    store.getState().openBreakers();
    await settle();
    const readAt = clock.now();
    main.main.answer = () => ({ ok: false, error: { error: "gone", code: "unavailable", retryable: true } });
    main.tell("data:changed", { connection: "a", topic: "breakers" });
    await clock.advance(1_000);
    expect(store.getState().breakers).toMatchObject({
      phase: "stale",
      at: readAt,
      problem: { error: "gone" },
    });

    main.tell("connections:changed", [connection("a", { state: "unreachable" })]);
    main.main.answer = () => breakers("closed");
    main.tell("connections:changed", [connection("a")]);
    await clock.advance(1_000);
    expect(store.getState().breakers).toMatchObject({ phase: "ready" });
  });

  test("an answer that does not fit its row is a failure that names the field", async () => {
    main.main.answer = () => ({ ok: true, data: { items: [{ key: 12 }] } });
    store.getState().openBreakers();
    await settle();
    expect(store.getState().breakers).toMatchObject({ phase: "failed", problem: { code: "bad_answer" } });
    expect(JSON.stringify(store.getState().breakers)).toContain("items.0.key");
  });

  test("an engine that announces nothing is asked again by itself", async () => {
    main.tell("connections:changed", [connection("a", { live: "none" })]);
    main.main.answer = () => breakers("open");
    store.getState().openBreakers();
    await settle();
    await clock.advance(2_000);
    expect(main.calls.length).toBeGreaterThan(1);
  });

  test("a setting that could not be kept goes back to what it was, with the reason", async () => {
    store.getState().followSettings();
    await settle();
    const changing = store.getState().changeSettings({ theme: "light" });
    expect(store.getState().settings.theme).toBe("light");
    await changing;
    expect(store.getState()).toMatchObject({
      settings: { theme: "dark" },
      settingsProblem: "the disk is full",
    });
  });

  test("a button's outcome stays in its place, and a second press while it is under way does nothing", async () => {
    let finish: (answer: unknown) => void = () => {};
    main.main.answer = () => new Promise((done) => (finish = done));
    const what = {
      tool: "ironflow_cancel_run",
      input: { run_id: "run_1" },
      name: "Cancel",
      done: "Cancelled.",
    } as const;
    const first = store.getState().act("run run_1", what);
    expect(await store.getState().act("run run_1", what)).toBeNull();
    finish({
      ok: false,
      error: { error: "no", code: "permission_denied", reason: "declined", retryable: false },
    });
    await first;
    expect(main.calls).toHaveLength(1);
    expect(store.getState().actions["run run_1"]).toMatchObject({
      phase: "not_done",
      error: { reason: "declined" },
    });
    store.getState().putAway("run run_1");
    expect(store.getState().actions).toEqual({});
  });
});
