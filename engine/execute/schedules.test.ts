import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { completed, createHarness, ENV, type Harness } from "../testing/harness.ts";
import { deleteFunction, registerFunction, rollbackFunction, setFunctionStatus } from "./functions.ts";

let engine: Harness;
let folder: string | undefined;

afterEach(async () => {
  await engine.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  folder = undefined;
});

const minute = 60_000;

async function pass(ms: number): Promise<void> {
  engine.clock.advance(ms);
  await engine.settle();
}

it("starts a run each time a cron trigger fires, and none while the function is paused", async () => {
  engine = await createHarness();
  await engine.define("tick", () => completed(), { triggers: [{ cron: "*/5 * * * *" }] });
  await pass(5 * minute);
  expect(engine.calls.map(({ event }) => [event.name, event.data])).toEqual([
    ["cron.tick", { cron: "*/5 * * * *", scheduled_at: "2026-01-01T00:05:00.000Z" }],
  ]);
  await pass(5 * minute);
  expect(engine.calls).toHaveLength(2);
  await engine.change((tx) => setFunctionStatus(engine.core, tx, ENV, "tick", "paused"));
  await pass(5 * minute);
  expect(engine.calls).toHaveLength(2);
  await engine.change((tx) => setFunctionStatus(engine.core, tx, ENV, "tick", "active"));
  await pass(5 * minute);
  expect(engine.calls).toHaveLength(3);
  await engine.change((tx) => deleteFunction(engine.core, tx, ENV, "tick"));
  await pass(60 * minute);
  expect(engine.calls).toHaveLength(3);
});

it("fires once for all the times that passed while the engine was stopped", async () => {
  folder = await mkdtemp(join(tmpdir(), "schedules-"));
  const file = join(folder, "engine.db");
  engine = await createHarness({ file });
  const { clock } = engine;
  await engine.define("tick", () => completed(), { triggers: [{ cron: "* * * * *" }] });
  await engine.stop();
  clock.jump(60 * minute);
  engine = await createHarness({ file, clock });
  await engine.settle();
  const fired = () => engine.calls.filter(({ attempt }) => attempt === 1).map(({ event }) => event.data);
  expect(fired()).toEqual([{ cron: "* * * * *", scheduled_at: "2026-01-01T00:01:00.000Z" }]);
  await pass(minute);
  expect(fired()).toHaveLength(2);
});

it("fires no time twice when the clock goes back, and at once the time it jumped over", async () => {
  engine = await createHarness();
  await engine.define("tick", () => completed(), { triggers: [{ cron: "0 * * * *" }] });
  await pass(60 * minute);
  engine.clock.jump(-10 * minute);
  await pass(30 * minute);
  expect(engine.calls).toHaveLength(1);
  engine.clock.jump(60 * minute);
  await pass(minute);
  expect(engine.calls).toHaveLength(2);
});

it("starts one run for a burst of events, with the newest, once the period passed since it", async () => {
  engine = await createHarness();
  await engine.define("f", () => completed(), {
    triggers: [{ event: "typed" }],
    debounce: { periodMs: 1_000, key: "data.doc", maxWaitMs: 2_500 },
  });
  const answer = await engine.emit("typed", { doc: "a", n: 1 });
  expect(answer.runIds).toEqual([]);
  await engine.emit("typed", { doc: "b", n: 1 });
  await pass(900);
  await engine.emit("typed", { doc: "a", n: 2 });
  await pass(900);
  expect(engine.calls.map(({ event }) => event.data)).toEqual([{ doc: "b", n: 1 }]);
  await pass(100);
  expect(engine.calls).toHaveLength(2);
  expect(engine.calls[1]?.event.data).toEqual({ doc: "a", n: 2 });
  // Events that never stop are not held longer than the longest wait.
  for (let n = 0; n < 6; n += 1) {
    await engine.emit("typed", { doc: "c", n });
    await pass(500);
  }
  expect(engine.calls.at(-1)?.event.data).toEqual({ doc: "c", n: 4 });
});

it("keeps every version, goes back to one as a new version, and goes on counting after a delete", async () => {
  engine = await createHarness();
  const register = (timeoutMs: number, reason = "") =>
    engine.change((tx) =>
      registerFunction(
        engine.core,
        tx,
        ENV,
        "f",
        { preferredMode: "push", endpointUrl: "http://x/", timeoutMs },
        reason,
      ),
    );
  await register(1);
  await register(2, "slower");
  expect((await register(2)).function.row.version).toBe(2);
  const back = await engine.change((tx) => rollbackFunction(engine.core, tx, ENV, "f", 1, "undo"));
  expect([back.row.version, back.config.timeoutMs]).toEqual([3, 1]);
  const { functions } = engine.core.store;
  expect(functions.history(ENV, "f", 100, 10).map((row) => [row.version, row.change_reason])).toEqual([
    [3, "undo"],
    [2, "slower"],
    [1, ""],
  ]);
  await engine.change((tx) => deleteFunction(engine.core, tx, ENV, "f"));
  expect(engine.core.registry.get(ENV, "f")).toBeUndefined();
  expect((await register(2)).function.row.version).toBe(4);
  await expect(
    engine.change((tx) => rollbackFunction(engine.core, tx, ENV, "f", 9, "")),
  ).rejects.toMatchObject({ code: "not_found" });
});
