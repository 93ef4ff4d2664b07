import { describe, expect, it } from "vitest";
import { CallError } from "../../mcp/client/session.ts";
import { CONNECTION_URI, LiveTopic, liveUri, type EngineConnection } from "../../mcp/contract/live.ts";
import { handClock } from "../testing/hand-clock.ts";
import { followEngine, POLL_MS, type LiveSession } from "./live-updates.ts";

const connected: EngineConnection = {
  state: "connected",
  live: "websocket",
  url: "http://127.0.0.1:9123",
  since: "2026-01-01T00:00:00Z",
};

/** A tool server whose news and answers the test decides. */
function server(tells: boolean) {
  const listeners = new Map<string, () => void>();
  const state = { engine: connected, info: { isError: false, text: "{}" }, reads: 0 };
  const session: LiveSession = {
    onResourceUpdated: async (uri, listener) => {
      if (!tells) throw new CallError("refused", "Method not found");
      listeners.set(uri, listener);
      return () => void listeners.delete(uri);
    },
    readText: async () => {
      state.reads += 1;
      return JSON.stringify(state.engine);
    },
    callTool: async () => ({
      isError: state.info.isError,
      content: [{ type: "text", text: state.info.text }],
    }),
  };
  return { session, state, news: (uri: string) => listeners.get(uri)?.() };
}

function follow(session: LiveSession) {
  const time = handClock();
  const ended = new AbortController();
  const seen: EngineConnection[] = [];
  const topics: LiveTopic[] = [];
  const followed = followEngine(session, {
    onChanged: (topic) => void topics.push(topic),
    onEngine: (engine) => void seen.push(engine),
    url: "http://127.0.0.1:9123",
    clock: time.clock,
    now: () => new Date("2026-01-01T00:00:00Z"),
    ended: ended.signal,
  });
  return { time, ended, seen, topics, followed };
}

describe("a tool server that tells its news", () => {
  it("is listened to: the engine at once, then every change", async () => {
    const { session, state, news } = server(true);
    const { time, seen, topics, followed } = follow(session);
    await followed;
    expect(seen).toEqual([connected]);
    news(liveUri("runs"));
    news(liveUri("breakers"));
    expect(topics).toEqual(["runs", "breakers"]);
    state.engine = { ...connected, state: "unreachable" };
    news(CONNECTION_URI);
    await time.settle();
    expect(seen.at(-1)?.state).toBe("unreachable");
  });

  it("is read once more, not many times, when news come during a read", async () => {
    const { session, state, news } = server(true);
    const { time, followed } = follow(session);
    await followed;
    for (let at = 0; at < 5; at += 1) news(CONNECTION_URI);
    await time.settle();
    expect(state.reads).toBe(3);
  });
});

describe("a tool server that tells nothing", () => {
  it("is asked again and again, until its session ends", async () => {
    const { session, state } = server(false);
    const { time, ended, seen, topics, followed } = follow(session);
    await time.settle();
    expect(seen).toMatchObject([{ state: "connected", live: "polling" }]);
    expect(topics).toEqual(LiveTopic.options);
    state.info = { isError: true, text: '{"error":"no engine","code":"unavailable","retryable":true}' };
    await time.move(POLL_MS);
    expect(seen.at(-1)).toMatchObject({ state: "unreachable", error: "no engine" });
    expect(topics).toEqual(LiveTopic.options);
    state.info = { isError: true, text: '{"error":"wrong key","code":"unauthenticated","retryable":false}' };
    await time.move(POLL_MS);
    expect(seen.at(-1)?.state).toBe("unauthorized");
    ended.abort();
    await time.settle();
    await followed;
    expect(seen).toHaveLength(3);
  });
});
