import { afterEach, beforeEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import { completed, createHarness, ENV, isDone, step, yielded, type Harness } from "../testing/harness.ts";
import type { Notice } from "./hub.ts";
import { publish, TOPIC_MESSAGES_KEPT } from "./publish.ts";
import { emitEvent } from "./emit.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

const send = (topic: string, data: unknown, more: { idempotencyKey?: string; runId?: string } = {}) =>
  engine.change((tx) =>
    publish(engine.core, tx, { environmentId: ENV, topic, data: toJsonText(data), ...more }),
  );

it("tells a message to those who subscribe, numbers it and starts no run", async () => {
  await engine.define("f", () => completed(), { triggers: [{ event: "prices" }] });
  const seen: Notice[] = [];
  engine.core.hub.subscribe((notice) => seen.push(notice));
  const first = await send("prices", { eur: 1 });
  const second = await send("prices", [2]);
  expect(second.sequence).toBe(first.sequence + 1);
  expect(seen.map(({ topic, eventId }) => [topic, eventId])).toEqual([
    ["topic:prices", first.eventId],
    ["topic:prices", second.eventId],
  ]);
  expect(engine.calls).toEqual([]);
  expect(engine.core.store.topics.get(ENV, "prices")).toMatchObject({
    messages: 2,
    first_seq: first.sequence,
  });
});

it("publishes once for a key", async () => {
  const first = await send("prices", 1, { idempotencyKey: "k" });
  expect(await send("prices", 2, { idempotencyKey: "k" })).toEqual(first);
  expect((await send("other", 2, { idempotencyKey: "k" })).eventId).not.toBe(first.eventId);
  expect(engine.core.store.topics.list(ENV).map(({ topic, messages }) => [topic, messages])).toEqual([
    ["other", 1],
    ["prices", 1],
  ]);
});

it("keeps the newest messages of a topic", async () => {
  await send("other", 0);
  await engine.change((tx) => {
    for (let n = 0; n < TOPIC_MESSAGES_KEPT + 5; n += 1)
      publish(engine.core, tx, { environmentId: ENV, topic: "prices", data: toJsonText(n) });
  });
  const row = engine.core.store.topics.get(ENV, "prices");
  expect(row?.messages).toBe(TOPIC_MESSAGES_KEPT);
  expect((row?.last_seq ?? 0) - (row?.first_seq ?? 0)).toBe(TOPIC_MESSAGES_KEPT - 1);
  expect(engine.core.store.topics.get(ENV, "other")?.messages).toBe(1);
});

it("learns who emits, invokes, publishes and waits for what, and forgets a deleted function", async () => {
  await engine.define("child", () => completed(1));
  await engine.define(
    "parent",
    (request) => {
      const { run_id: runId } = request;
      if (!isDone(request, "child"))
        return yielded({
          step_id: `${runId}:child:0`,
          type: "invoke_function",
          function_id: "child",
          invoke_timeout_ms: 60_000,
        });
      if (!isDone(request, "paid")) {
        const filter = { event: "paid", timeout: "1d" };
        return yielded({ step_id: `${runId}:paid:0`, type: "wait_for_event", event_filter: filter });
      }
      return completed(null, [step(runId, "last")]);
    },
    { triggers: [{ event: "go" }] },
  );
  const [runId = ""] = (await engine.emit("go")).runIds;
  await engine.until("the wait", () => engine.steps(runId).some(({ name }) => name === "paid"));
  await send("prices", 1, { runId });
  await engine.change((tx) =>
    emitEvent(engine.core, tx, {
      environmentId: ENV,
      name: "told",
      data: toJsonText({}),
      version: 1,
      source: "api",
      runId,
    }),
  );
  const edges = () =>
    (["emit", "invoke", "topic", "wait"] as const).map((kind) => engine.core.store.flow.edges(ENV, kind));
  expect(edges()).toEqual([
    [{ source: "parent", target: "told" }],
    [{ source: "parent", target: "child" }],
    [{ source: "parent", target: "prices" }],
    [{ source: "parent", target: "paid" }],
  ]);
  engine.core.store.db.exec("delete from functions where id = 'child'");
  expect(engine.core.store.flow.edges(ENV, "invoke")).toEqual([]);
  engine.core.store.db.exec("delete from functions where id = 'parent'");
  expect(edges()).toEqual([[], [], [], []]);
});

it("keeps what a listener could not be given as a dead letter, and gives it to the others", async () => {
  const seen: string[] = [];
  engine.core.hub.subscribe(() => {
    throw new Error("cut off");
  });
  engine.core.hub.subscribe(({ topic }) => seen.push(topic));
  const { eventId } = await send("prices", { n: 12 });
  await engine.settle();
  const { items, total } = engine.core.store.deadLetters.list(
    { environmentId: ENV },
    { limit: 10, offset: 0 },
  );
  // One, although its own notice could not be given either.
  expect(total).toBe(1);
  expect(items[0]).toMatchObject({
    source: "system_event_publish",
    subject: "topic:prices",
    event_id: eventId,
    error: "cut off",
  });
  expect(Buffer.from(items[0]?.payload ?? []).toString()).toBe('{"n":12}');
  expect(seen).toEqual(["topic:prices", "system.dead_letter.system_event_publish.created"]);
});
