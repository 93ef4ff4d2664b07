import { beforeEach, describe, expect, it } from "vitest";
import { consentWorld, CLAUDE, type Outcome } from "../testing/consent-world.ts";
import { BACK_WITHIN_MS, HANDSHAKE_PATIENCE, MODERN_PATIENCE } from "./held-questions.ts";
import type { ToolCall } from "./perform.ts";

let world: ReturnType<typeof consentWorld>;
beforeEach(() => {
  world = consentWorld();
});

const deleted = () => world.store.changes().length;
const waiting = () => world.consent.queue.count;
async function begin(call: Partial<ToolCall>): Promise<Outcome> {
  const outcome = world.call(call);
  await world.time.settle();
  return outcome;
}

describe("a 2026-07-28 caller", () => {
  const modern = (state?: string, more: Partial<ToolCall> = {}) =>
    begin({ patience: MODERN_PATIENCE, state, ...more });

  it("is held for 25 s, then told to come back, and finds its own question", async () => {
    const first = await modern();
    await world.time.move(24_999);
    expect(first.done).toBe(false);
    await world.time.move(1);
    expect(first).toMatchObject({ word: "come back" });
    const second = await modern(first.state);
    expect(waiting()).toBe(1);
    await world.decide("approve");
    expect(second.word).toBe("ok");
    expect(deleted()).toBe(1);
  });

  it("comes back nine times, and is then told to call again; its question stays", async () => {
    let outcome = await modern();
    for (let round = 1; round <= 9; round += 1) {
      await world.time.move(25_000);
      expect(outcome.word).toBe("come back");
      outcome = await modern(outcome.state);
    }
    await world.time.move(25_000);
    expect(outcome.word).toBe("consent_pending");
    expect(waiting()).toBe(1);
    const again = await modern();
    expect(waiting()).toBe(1);
    await world.decide("approve");
    expect(again.word).toBe("ok");
    expect(deleted()).toBe(1);
  });

  it("that was approved between two rounds is done when it is back, after one more look at the target", async () => {
    const first = await modern();
    await world.time.move(25_000);
    await world.decide("approve");
    expect(deleted()).toBe(0);
    const reads = world.store.calls.length;
    const second = await modern(first.state);
    expect(second.word).toBe("ok");
    expect(world.store.calls.slice(reads).map(({ tool }) => tool)).toEqual([
      "ironflow_get_run",
      "ironflow_get_run_steps",
      "ironflow_delete_run",
    ]);
  });

  it("is asked anew when the target changed before it was back", async () => {
    const first = await modern();
    await world.time.move(25_000);
    await world.decide("approve");
    world.store.runs.set("run_1", { status: "failed", steps: 9 });
    const second = await modern(first.state);
    expect([second.done, deleted(), waiting()]).toEqual([false, 0, 1]);
    expect(world.consent.current()?.asked_again).toBe(true);
    await world.decide("approve");
    expect([second.word, deleted()]).toEqual(["ok", 1]);
  });

  it("that does not come back has gone: its question closes, and an approval is worth nothing", async () => {
    for (const approve of [false, true]) {
      const first = await modern();
      await world.time.move(25_000);
      if (approve) await world.decide("approve");
      await world.time.move(BACK_WITHIN_MS);
      expect(waiting()).toBe(0);
      expect((await modern(first.state)).word).toBe("question_over");
    }
    expect(deleted()).toBe(0);
  });

  it.each([
    ["a state that it made up", (state: string) => ({ state: `${state}x` })],
    ["its state with other arguments", (state: string) => ({ state, args: { run_id: "run_2" } })],
    ["its state for another tool", (state: string) => ({ state, tool: "ironflow_cancel_run" })],
    ["its state on another connection", (state: string) => ({ state, connection: "other" })],
    ["its state with another token of the same name", (state: string) => ({ state, tokenId: "token-2" })],
    ["another caller's state", (state: string) => ({ state, caller: { ...CLAUDE, name: "other" } })],
  ])("with %s gets nothing, approved or not", async (_, forged) => {
    world.store.runs.set("run_2", { status: "failed", steps: 1 });
    const first = await modern();
    await world.time.move(25_000);
    const state = String(first.state);
    expect((await modern(undefined, forged(state))).word).toBe("question_over");
    await world.decide("approve");
    expect((await modern(undefined, forged(state))).word).toBe("question_over");
    expect(deleted()).toBe(0);
  });

  it("can use a state once: of two that bring it one is let in", async () => {
    const first = await modern();
    await world.time.move(25_000);
    const both = [await modern(first.state), await modern(first.state)];
    expect(both[1]?.word).toBe("question_over");
    await world.decide("approve");
    expect(both.map(({ word }) => word)).toEqual(["ok", "question_over"]);
    expect((await modern(first.state)).word).toBe("question_over");
    expect(deleted()).toBe(1);
  });
});

describe("a handshake caller", () => {
  const old = (more: Partial<ToolCall> = {}) => begin({ patience: HANDSHAKE_PATIENCE, ...more });

  it("is told after 50 s that the question stays, and to repeat the identical call", async () => {
    const first = await old();
    await world.time.move(49_999);
    expect(first.done).toBe(false);
    await world.time.move(1);
    expect(first.word).toBe("consent_pending");
    expect(waiting()).toBe(1);
    const again = await old();
    expect(waiting()).toBe(1);
    await world.decide("approve");
    expect([again.word, deleted()]).toEqual(["ok", 1]);
  });

  it("executes nothing when it is approved while no request waits, until the identical call comes", async () => {
    await old();
    await world.time.move(50_000);
    await world.decide("approve");
    await world.time.move(60_000);
    expect(deleted()).toBe(0);
    expect((await old()).word).toBe("ok");
    expect(deleted()).toBe(1);
    const third = await old();
    expect(third.word).toBe("not_found");
    expect(deleted()).toBe(1);
  });

  it.each([
    ["other arguments", { args: { run_id: "run_2" } }],
    ["another tool", { tool: "ironflow_cancel_run" }],
    ["another connection", { connection: "other" }],
    ["another token", { tokenId: "token-2" }],
    ["another caller", { caller: { ...CLAUDE, name: "other" } }],
  ])("with %s does not join: it asks for itself", async (_, other) => {
    world.store.runs.set("run_2", { status: "failed", steps: 1 });
    await old();
    await world.time.move(50_000);
    const different = await old(other);
    expect([different.done, waiting()]).toEqual([false, 2]);
    await world.decide("approve");
    await world.time.move(1);
    expect(deleted()).toBe(0); // the first one was approved, and its caller is not there
  });

  it("with an identical call while one waits already is asked about twice, and each is done once or not", async () => {
    const [first, second] = [await old(), await old()];
    expect(waiting()).toBe(2);
    await world.decide("approve");
    await world.decide("decline");
    expect([first.word, second.word, deleted()]).toEqual(["ok", "declined", 1]);
  });

  it.each(["decline", "expire", "dismiss"] as const)(
    "hears the outcome once when it comes back after the person did: %s",
    async (what) => {
      await old();
      await world.time.move(50_000);
      if (what === "decline") await world.decide("decline");
      if (what === "expire") await world.time.move(250_000);
      if (what === "dismiss") world.consent.queue.dismissed();
      await world.time.settle();
      const word = { decline: "declined", expire: "expired", dismiss: "not_answered" }[what];
      expect((await old()).word).toBe(word);
      const anew = await old();
      expect([anew.done, waiting(), deleted()]).toEqual([false, 1, 0]);
    },
  );

  it("has five minutes in all: an approval that is not taken in time is not good any more", async () => {
    await old();
    await world.time.move(50_000);
    await world.decide("approve");
    await world.time.move(250_000 - 800 - 1);
    expect(world.records.map(({ event }) => event)).toEqual(["asked", "approved"]);
    await world.time.move(1);
    expect(world.records.map(({ event }) => event)).toEqual(["asked", "approved", "expired"]);
    expect((await old()).word).toBe("expired");
    expect(deleted()).toBe(0);
  });

  it("that hangs up while it waits closes its question, also the second time it waits", async () => {
    await old();
    await world.time.move(50_000);
    const gone = new AbortController();
    await old({ signal: gone.signal });
    gone.abort();
    await world.time.settle();
    expect(waiting()).toBe(0);
    expect(await world.decide("approve")).toBe(false);
    expect(deleted()).toBe(0);
  });

  it("that is revoked, or stopped with everything, has no question and no approval left", async () => {
    for (const who of ["claude", undefined]) {
      await old();
      await world.time.move(50_000);
      await world.decide("approve");
      world.performer.drop(who);
      await world.time.settle();
      const anew = await old();
      expect([anew.done, waiting(), deleted()]).toEqual([false, 1, 0]);
      world.performer.drop(who);
      await world.time.settle();
      expect([anew.word, waiting()]).toEqual(["caller_gone", 0]);
    }
  });
});

describe("the person's own call", () => {
  it("waits as long as it takes", async () => {
    const own = await begin({
      caller: { kind: "user", name: "user", permissions: ["*"] },
      tokenId: undefined,
    });
    await world.time.move(299_000);
    expect(own.done).toBe(false);
    await world.decide("approve");
    expect(own.word).toBe("ok");
  });
});
