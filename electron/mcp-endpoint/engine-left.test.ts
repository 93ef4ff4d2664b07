import { describe, expect, it } from "vitest";
import { consentWorld } from "../testing/consent-world.ts";
import { HANDSHAKE_PATIENCE, MODERN_PATIENCE } from "./held-questions.ts";

/** What main does when the person goes from one engine to another. */
function leave(world: ReturnType<typeof consentWorld>, connection: string): void {
  world.world.connections = world.world.connections.filter((one) => one !== connection);
  world.consent.queue.withdraw(({ engine }) => engine?.url.endsWith(`/${connection}`) === true);
  world.performer.leave(connection);
}

describe("when the person goes to another engine", () => {
  it("questions about the one before close unanswered, those about others stay and can be approved", async () => {
    const world = consentWorld();
    const there = world.call();
    const here = world.call({ connection: "other" });
    await world.time.settle();
    leave(world, "local");
    await world.time.settle();
    expect(there.word).toBe("not_answered");
    expect(here.done).toBe(false);
    expect(await world.decide("approve")).toBe(true);
    expect(here.word).toBe("ok");
  });

  it("a caller that comes back for its answer is told that the question is over, and nothing is done", async () => {
    const world = consentWorld();
    const changes: unknown[] = [];
    world.world.onChange = (change) => changes.push(change);
    const first = world.call({ patience: MODERN_PATIENCE });
    await world.time.move(MODERN_PATIENCE.holdMs);
    expect(first.word).toBe("come back");
    leave(world, "local");
    await world.time.settle();
    const second = world.call({ patience: MODERN_PATIENCE, state: first.state });
    await world.time.settle();
    expect(second.word, "the connection is not there").toBe("hidden");
    world.world.connections = ["local"];
    const third = world.call({ patience: MODERN_PATIENCE, state: first.state });
    await world.time.settle();
    expect(third.word).toBe("question_over");
    expect(changes).toEqual([]);
  });

  it("what was approved right before is not done on an engine that was left", async () => {
    const world = consentWorld();
    const changes: unknown[] = [];
    world.world.onChange = (change) => changes.push(change);
    const call = world.call({ patience: HANDSHAKE_PATIENCE });
    await world.time.settle();
    world.world.connections = ["other"];
    expect(await world.decide("approve")).toBe(true);
    expect(call.word).toBe("engine_left");
    expect(changes).toEqual([]);
  });
});
