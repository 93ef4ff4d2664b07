import { describe, expect, it } from "vitest";
import type { LiveSession } from "../hub/live-updates.ts";
import { handClock } from "../testing/hand-clock.ts";
import { TEST_WITHIN_MS, testEngine } from "./test-engine.ts";

const ENGINE = { url: "https://engine.example", apiKey: "k" };
const signal = new AbortController().signal;

function session(news: object): LiveSession {
  return {
    onResourceUpdated: async () => () => {},
    readText: async () => JSON.stringify({ live: "none", url: ENGINE.url, since: "x", ...news }),
    callTool: async () => ({ content: [] }),
  };
}

function parts(news: object | Error) {
  const time = handClock();
  const seen: unknown[] = [];
  let stopped = 0;
  return {
    time,
    seen,
    stopped: () => stopped,
    deps: {
      clock: time.clock,
      now: () => new Date(0),
      startTools: async (target: unknown) => {
        seen.push(target);
        if (news instanceof Error) throw news;
        return {
          value: session(news),
          ended: new Promise<string>(() => {}),
          stop: async () => void (stopped += 1),
        };
      },
    },
  };
}

describe("a test of an engine", () => {
  it.each([
    [
      { state: "connected", version: "0.24.0" },
      { state: "connected", engine_version: "0.24.0" },
    ],
    [
      { state: "unauthorized", error: "bad key" },
      { state: "unauthorized", problem: "bad key" },
    ],
    [
      { state: "unreachable", error: "refused" },
      { state: "unreachable", problem: "refused" },
    ],
  ])(
    "tells what the engine said (%j), and ends its tool server, which could only read",
    async (news, expected) => {
      const { deps, seen, stopped } = parts(news);
      expect(await testEngine(deps, ENGINE, signal)).toMatchObject(expected);
      expect(seen).toEqual([{ ...ENGINE, allowWrites: false, bridge: undefined }]);
      expect(stopped()).toBe(1);
    },
  );

  it("gives up in time", async () => {
    const { deps, time, stopped } = parts({ state: "connecting" });
    const testing = testEngine(deps, ENGINE, signal);
    await time.move(TEST_WITHIN_MS);
    expect(await testing).toMatchObject({ state: "unreachable", problem: expect.stringContaining("within") });
    expect(stopped()).toBe(1);
  });

  it("says why a tool server could not be started", async () => {
    const { deps } = parts(new Error("no such program"));
    expect(await testEngine(deps, ENGINE, signal)).toMatchObject({
      state: "crashed",
      problem: "no such program",
    });
  });
});
