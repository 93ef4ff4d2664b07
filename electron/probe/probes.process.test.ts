import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFixture, TOKENS } from "../mcp-endpoint/testing/endpoint-fixture.ts";
import { handClock } from "../testing/hand-clock.ts";
import { connectHandshake } from "./handshake-client.ts";
import { connectModern } from "./modern-client.ts";
import { NoProbe, openProbes, PROBE_MS, PROBE_NAME, type Probes } from "./probes.ts";

let endpoint: Awaited<ReturnType<typeof startFixture>>;
let probes: Probes;
let hand: ReturnType<typeof handClock>;

beforeEach(async () => {
  hand = handClock();
  endpoint = await startFixture({
    authenticate: (token) => {
      const caller = TOKENS[token];
      return caller === undefined ? probes.authenticate(token) : { caller, tokenId: token };
    },
  });
  probes = openProbes({
    url: (connection) => `${endpoint.url}/${connection}`,
    version: "1.0.0",
    clock: hand.clock,
    now: () => new Date(0),
    dropCaller: (name) => endpoint.dropCaller(name),
    connect: { handshake: connectHandshake, "2026-07-28": connectModern },
  });
});
afterEach(async () => {
  await probes.end();
  await endpoint.close();
});

describe("a test as an agent", () => {
  it("shows what each era sees with just these permissions, and how it was asked", async () => {
    const reader = await probes.open("local", ["mcp.call"]);
    expect(
      reader.views.map(({ era, problem, revision, tools }) => [era, problem, revision, tools.length]),
    ).toEqual([
      ["handshake", undefined, "2025-11-25", 1],
      ["2026-07-28", undefined, "2026-07-28", 1],
    ]);
    expect(reader.frames.filter(({ text }) => text.includes('"tools/list"')).map(({ era }) => era)).toEqual([
      "handshake",
      "2026-07-28",
    ]);
    expect(JSON.stringify(reader)).not.toContain("ibk_");
    const writer = await probes.open("local", ["mcp.call", "mcp.write"]);
    expect(writer.views.map(({ tools }) => tools.length)).toEqual([2, 2]);
  });

  it("calls as its own caller, and hands on what the client got", async () => {
    const { id } = await probes.open("other", ["mcp.call"]);
    for (const era of ["handshake", "2026-07-28"] as const) {
      const { result, problem, frames, ms } = await probes.call(id, era, "fixture_echo", { text: "hello" });
      expect(problem).toBeUndefined();
      expect(result).toMatchObject({
        structuredContent: { text: "hello", caller: PROBE_NAME, connection: "other" },
      });
      expect(frames.map(({ direction }) => direction)).toContain("received");
      expect(ms).toBeGreaterThan(0);
    }
  });

  it("says why there is nothing to see, era by era", async () => {
    const { views } = await probes.open("local", ["mcp.write"]);
    expect(views.map(({ tools }) => tools)).toEqual([[], []]);
    for (const { problem } of views) expect(problem).toMatch(/403|refused|permission|forbidden/i);
  });

  it("says what a client rejects", async () => {
    const { id } = await probes.open("local", ["mcp.call"]);
    for (const era of ["handshake", "2026-07-28"] as const)
      expect((await probes.call(id, era, "fixture_delete", { id: "x" })).problem).toContain("not found");
  });

  it("is over when it is closed, when another begins and when its time has come", async () => {
    const first = await probes.open("local", ["mcp.call"]);
    const second = await probes.open("local", ["mcp.call"]);
    await expect(probes.call(first.id, "handshake", "fixture_echo", { text: "x" })).rejects.toThrow(NoProbe);
    expect(await probes.close(second.id)).toBe(true);
    expect(await probes.close(second.id)).toBe(false);
    expect(endpoint.sessionCount).toBe(0);
    expect(endpoint.refused).toEqual([]);

    const third = await probes.open("local", ["mcp.call"]);
    expect(third.expires_at).toBe(new Date(PROBE_MS).toISOString());
    await hand.move(PROBE_MS);
    const late = await probes.call(third.id, "2026-07-28", "fixture_echo", { text: "x" }).then(
      ({ problem }) => problem,
      (cause: Error) => cause.message,
    );
    expect(late).toMatch(/over|401|token|authentication/i);
  });
});
