import { afterEach, expect, it, vi } from "vitest";
import { asleep, completed, createHarness, ENV, isDone, type Harness } from "../testing/harness.ts";

let engine: Harness;

afterEach(() => engine.stop());

/** A function that sleeps for a second and completes. */
async function defineSleeper(id: string): Promise<void> {
  await engine.define(
    id,
    (request) => (isDone(request, "nap") ? completed() : asleep(request, engine.clock.nowMs() + 1_000)),
    { triggers: [{ event: id }] },
  );
}

async function sleeping(event: string): Promise<string> {
  const id = (await engine.emit(event)).runIds[0] ?? "";
  await engine.until("sleep", () => engine.run(id).status === "waiting");
  return id;
}

async function pass(ms: number): Promise<void> {
  engine.clock.advance(ms);
  await engine.settle();
}

/** Makes every timer of one run throw while `broken` says so; how often that happened. */
function breakTimersOf(runId: string, broken: () => boolean): () => number {
  const { steps } = engine.core.store;
  const settle = steps.settle.bind(steps);
  let thrown = 0;
  vi.spyOn(steps, "settle").mockImplementation((id, ...rest) => {
    if (!id.startsWith(runId) || !broken()) return settle(id, ...rest);
    thrown += 1;
    throw new Error("this row is broken");
  });
  return () => thrown;
}

it("fires all other timers, debounces and schedules when one timer throws, and tells of it in the run's audit", async () => {
  engine = await createHarness();
  await defineSleeper("f");
  await engine.define("typed", () => completed(), {
    triggers: [{ event: "typed" }],
    debounce: { periodMs: 1_000 },
  });
  await engine.define("tick", () => completed(), { triggers: [{ cron: "* * * * * *" }] });
  const [poisoned, healthy] = [await sleeping("f"), await sleeping("f")];
  await engine.emit("typed");
  breakTimersOf(poisoned, () => true);
  await pass(1_000);
  expect([engine.run(poisoned).status, engine.run(healthy).status]).toEqual(["waiting", "completed"]);
  expect(engine.calls.map(({ function_id }) => function_id)).toEqual(
    expect.arrayContaining(["typed", "tick"]),
  );
  expect(engine.core.store.audit.byRun(poisoned).at(-1)).toMatchObject({
    event_type: "run.timer_failed",
    payload: JSON.stringify({ kind: "sleep", reason: "this row is broken" }),
  });
});

it("tries a timer that throws again after longer and longer pauses, and loses nothing once it can be fired", async () => {
  engine = await createHarness();
  await defineSleeper("f");
  const id = await sleeping("f");
  let broken = true;
  const thrown = breakTimersOf(id, () => broken);
  const after: number[] = [];
  for (const ms of [1_000, 999, 1, 1_999, 1, 3_999, 1]) {
    await pass(ms);
    after.push(thrown());
  }
  expect(after).toEqual([1, 1, 2, 2, 3, 3, 4]);
  await pass(86_400_000);
  const ofADay = thrown() - 4;
  await pass(300_000);
  expect([ofADay > 0 && ofADay < 300, thrown() - 4 - ofADay]).toEqual([true, 1]);
  broken = false;
  await pass(300_000);
  expect(engine.run(id).status).toBe("completed");
  expect(
    engine.core.store.audit.byRun(id).filter(({ event_type: type }) => type === "run.timer_failed"),
  ).toHaveLength(1);
});

it("fires more timers than fit into one batch", async () => {
  engine = await createHarness();
  await defineSleeper("f");
  const ids: string[] = [];
  for (let n = 0; n < 450; n += 1) ids.push((await engine.emit("f")).runIds[0] ?? "");
  await engine.until("sleep", () => ids.every((id) => engine.run(id).status === "waiting"));
  await pass(1_001);
  await engine.settle();
  expect(ids.filter((id) => engine.run(id).status !== "completed")).toEqual([]);
});

it("fires the last time of an expression that never fires again, and goes on with all others", async () => {
  engine = await createHarness();
  await engine.define("once", () => completed(), { triggers: [{ cron: "0 1 0 1 1 * 2026" }] });
  await engine.define("often", () => completed(), { triggers: [{ cron: "*/2 * * * *" }] });
  await pass(120_000);
  await pass(120_000);
  expect(engine.calls.map(({ function_id }) => function_id)).toEqual(["once", "often", "often"]);
  expect(engine.core.store.schedules.byFunction(ENV, "once")).toEqual([]);
});
