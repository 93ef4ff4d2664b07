import { afterEach, beforeEach, expect, it } from "vitest";
import { completed, createHarness, ENV, type Harness } from "../testing/harness.ts";
import { explainEvent } from "./explain.ts";
import type { PushOutcome } from "./push.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

it("counts the limit per value of the key, and lets the oldest run of a value go first", async () => {
  const open = new Map<string, (outcome: PushOutcome) => void>();
  await engine.define("f", ({ run_id: id }) => new Promise<PushOutcome>((finish) => open.set(id, finish)), {
    triggers: [{ event: "go" }],
    concurrency: { limit: 1, key: "event.data.user" },
  });
  const start = async (user: unknown) => (await engine.emit("go", { user })).runIds[0] ?? "";
  const a1 = await start("a");
  const a2 = await start("a");
  const a3 = await start("a");
  const b1 = await start("b");
  const none1 = await start(undefined);
  const none2 = await start(undefined);
  await engine.settle();
  const statusOf = (id: string) => engine.run(id).status;
  expect([a1, a2, a3, b1, none1, none2].map(statusOf)).toEqual([
    "running",
    "waiting_for_capacity",
    "waiting_for_capacity",
    "running",
    "running",
    "waiting_for_capacity",
  ]);
  open.get(a1)?.(completed());
  await engine.until("the next of a", () => statusOf(a2) === "running");
  expect([statusOf(a3), statusOf(none2)]).toEqual(["waiting_for_capacity", "waiting_for_capacity"]);
  for (const id of [a2, b1, none1]) open.get(id)?.(completed());
  await engine.until("the last ones", () => open.has(a3) && open.has(none2));
});

it("says of a proposed event what each function would do, and of a stored one what became of it", async () => {
  const gate = () => new Promise<PushOutcome>(() => {});
  await engine.define("busy", gate, { triggers: [{ event: "go" }], concurrency: { limit: 1 } });
  await engine.define("picky", gate, { triggers: [{ event: "go", expression: "data.n > 5" }] });
  await engine.define("broken", gate, { triggers: [{ event: "go", expression: "data.none.x == 1" }] });
  await engine.define("late", gate, {
    triggers: [{ event: "g*" }, { event: "*" }],
    debounce: { periodMs: 1_000 },
  });
  await engine.define("other", gate, { triggers: [{ event: "else" }] });
  await engine.define("held", gate, { triggers: [{ event: "go" }] });
  await engine.change((tx) => engine.core.registry.setStatus(tx, ENV, "held", "paused"));
  const { eventId, runIds } = await engine.emit("go", { n: 1 }, "k1");
  await engine.settle();
  const stored = engine.core.store.events.get(ENV, eventId);
  if (stored === undefined) throw new Error("no event");
  const decisions = (answer: ReturnType<typeof explainEvent>) =>
    Object.fromEntries(answer.functions.map((verdict) => [verdict.function_id, verdict.decision]));

  expect(decisions(explainEvent(engine.core, { ...stored, stored: true }))).toEqual({
    broken: "invalid_expression",
    busy: "run",
    held: "paused",
    late: "debounced",
    other: "not_matched",
    picky: "not_matched",
  });
  const ofBusy = explainEvent(engine.core, { ...stored, stored: true }).functions.find(
    ({ function_id: id }) => id === "busy",
  );
  expect(ofBusy).toMatchObject({ run_id: runIds[0], matched: true });

  const proposed = { ...stored, id: "", stored: false, data: '{"n":9}' };
  expect(decisions(explainEvent(engine.core, { ...proposed, idempotency_key: null }))).toMatchObject({
    busy: "no_capacity",
    picky: "run",
  });
  const again = explainEvent(engine.core, { ...proposed, idempotency_key: "k1" });
  expect(again.deduplicated_by).toBe(eventId);
  expect(decisions(again)).toMatchObject({
    busy: "deduplicated",
    picky: "deduplicated",
    other: "not_matched",
  });
  // It only looked: nothing was stored on the way.
  expect(engine.core.store.deadLetters.list({ environmentId: ENV }, { limit: 10, offset: 0 }).total).toBe(1);
  expect(engine.core.store.runs.count(ENV, ["running", "waiting_for_capacity"])).toBe(1);
});
