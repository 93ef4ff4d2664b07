import { afterEach, beforeEach, expect, it } from "vitest";
import { asleep, completed, createHarness, ENV, type Harness } from "../testing/harness.ts";
import { MAX_EXPRESSION_EVENT_CHARS } from "./event-view.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

const functionsOf = (runIds: string[]) => runIds.map((id) => engine.run(id).function_id);
const letters = () => engine.core.store.deadLetters.list({ environmentId: ENV }, { limit: 100, offset: 0 });

it("starts every active function whose trigger fits: by name, by pattern, by expression, once each", async () => {
  const on = (...triggers: { event: string; expression?: string }[]) => ({ triggers });
  await engine.define("exact", () => completed(), on({ event: "order.placed" }));
  await engine.define("star", () => completed(), on({ event: "order.*" }));
  await engine.define("rest", () => completed(), on({ event: "order.>" }));
  await engine.define("twice", () => completed(), on({ event: "order.placed" }, { event: "order.*" }));
  await engine.define(
    "big",
    () => completed(),
    on({ event: "order.placed", expression: "data.total > 100" }),
  );
  await engine.define("other", () => completed(), on({ event: "order" }));
  await engine.define("paused", () => completed(), on({ event: "order.placed" }));
  await engine.change((tx) => engine.core.registry.setStatus(tx, ENV, "paused", "paused"));

  expect(functionsOf((await engine.emit("order.placed", { total: 500 })).runIds)).toEqual([
    "big",
    "exact",
    "rest",
    "star",
    "twice",
  ]);
  expect(functionsOf((await engine.emit("order.placed", { total: 5 })).runIds)).toEqual([
    "exact",
    "rest",
    "star",
    "twice",
  ]);
  expect(functionsOf((await engine.emit("order.placed.late")).runIds)).toEqual(["rest"]);
  expect(functionsOf((await engine.emit("order")).runIds)).toEqual(["other"]);
});

it("keeps an event whose trigger expression throws as a dead letter, and routes it to everybody else", async () => {
  await engine.define("strict", () => completed(), {
    triggers: [{ event: "placed", expression: "data.customer.vip" }],
  });
  await engine.define("words", () => completed(), {
    triggers: [{ event: "placed", expression: "data.note" }],
  });
  await engine.define("plain", () => completed(), { triggers: [{ event: "placed" }] });
  const data = { note: "ä\u0000", big: 1 };
  const { eventId, runIds } = await engine.emit("placed", data);
  expect(functionsOf(runIds)).toEqual(["plain"]);
  expect(engine.core.store.events.get(ENV, eventId)).toBeDefined();
  const { items, total } = letters();
  expect(total).toBe(2);
  expect(items.map((row) => [row.source, row.function_id, row.event_id, row.event_name])).toEqual([
    ["routing", "words", eventId, "placed"],
    ["routing", "strict", eventId, "placed"],
  ]);
  expect(items[0]?.error).toMatch(/answered string/);
  expect(items[1]?.error).toMatch(/No such key: customer/);
  expect(JSON.parse(Buffer.from(items[0]?.payload ?? []).toString("utf8"))).toEqual(data);
});

it("evaluates expressions on events up to a size and stores a dead letter beyond it", async () => {
  await engine.define("any", () => completed(), { triggers: [{ event: "big", expression: "true" }] });
  const room = MAX_EXPRESSION_EVENT_CHARS - '""'.length;
  expect((await engine.emit("big", "x".repeat(room))).runIds).toHaveLength(1);
  expect((await engine.emit("big", "x".repeat(room + 1))).runIds).toHaveLength(0);
  expect(letters().total).toBe(1);
});

it("cancels the runs whose own event has the same value, before it starts new ones", async () => {
  await engine.define("ship", (request) => asleep(request, engine.clock.nowMs() + 9e6), {
    triggers: [{ event: "placed" }, { event: "revoked" }],
    cancelOn: [{ event: "revoked", match: "data.order" }],
  });
  const one = (await engine.emit("placed", { order: "one" })).runIds[0] ?? "";
  const two = (await engine.emit("placed", { order: "two" })).runIds[0] ?? "";
  await engine.until("sleep", () => engine.run(two).status === "waiting");
  const started = (await engine.emit("revoked", { order: "two" })).runIds[0] ?? "";
  await engine.settle();
  expect([one, two, started].map((id) => engine.run(id).status)).toEqual(["waiting", "cancelled", "waiting"]);
  expect(engine.run(two).cancellation_cause).toBe("cancel-on-event");
});

it("makes one dead letter when the cancelOn expression of many runs throws", async () => {
  await engine.define("ship", (request) => asleep(request, engine.clock.nowMs() + 9e6), {
    triggers: [{ event: "placed" }],
    cancelOn: [{ event: "revoked", match: "data.reason.code == 1" }],
  });
  const ids = (await Promise.all([1, 2, 3].map(() => engine.emit("placed")))).flatMap(({ runIds }) => runIds);
  await engine.emit("revoked", {});
  await engine.settle();
  expect(ids.map((id) => engine.run(id).status)).toEqual(["waiting", "waiting", "waiting"]);
  expect(letters().items).toMatchObject([{ source: "routing", function_id: "ship" }]);
  await engine.emit("revoked", { reason: { code: 1 } });
  await engine.settle();
  expect(ids.map((id) => engine.run(id).status)).toEqual(["cancelled", "cancelled", "cancelled"]);
});

it("answers a repeated key with the first answer, per event name", async () => {
  await engine.define("f", () => completed(), { triggers: [{ event: "a" }, { event: "b" }] });
  const first = await engine.emit("a", { n: 1 }, "key");
  expect(await engine.emit("a", { n: 2 }, "key")).toEqual(first);
  expect((await engine.emit("b", {}, "key")).eventId).not.toBe(first.eventId);
});
