import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import { appendEvent } from "../streams/append.ts";
import { deleteStream } from "../streams/delete.ts";
import { completed, createHarness, ENV, isDone, yielded, type Harness } from "../testing/harness.ts";
import { emitEvent, storeAndRoute } from "./emit.ts";
import { createFanOut, MAX_RUNS_PER_CHANGE } from "./fan-out.ts";
import { redactEvent } from "./redact.ts";
import { runTimerSource } from "./run-timers.ts";

let engine: Harness;
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "routings-"));
  file = join(folder, "engine.db");
  engine = await createHarness({ file });
});

afterEach(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const many = 2 * MAX_RUNS_PER_CHANGE + 50;
const name = (n: number) => `fn-${String(n).padStart(4, "0")}`;

async function define(count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n += 1)
    await engine.define(name(n), () => completed(), { triggers: [{ event: "go" }] });
}

const db = () => engine.core.store.db;
const count = (sql: string) => db().prepare<{ n: number }>(`select count(*) as n from ${sql}`).get()?.n ?? 0;
const runsOf = (eventId: string) => engine.core.store.runs.byEvent(eventId).map((run) => run.function_id);
const expected = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => name(from + n));

it("brings an event to many functions in several changes, and answers with all runs", async () => {
  await define(many);
  const seen = new Set<number>();
  const emitted = engine.emit("go");
  // Whatever else is written gets its turn meanwhile.
  while ((await engine.change(() => count("runs"))) < many) seen.add(count("runs"));
  const { eventId, runIds } = await emitted;
  expect(runIds.map((id) => engine.run(id).function_id)).toEqual(expected(0, many));
  expect(runsOf(eventId)).toEqual(expected(0, many));
  expect([...seen].filter((n) => n > 0)).toEqual([MAX_RUNS_PER_CHANGE, 2 * MAX_RUNS_PER_CHANGE]);
  expect(count("routing_slices")).toBe(0);
});

it("leaves an event that reaches no more than one change may in the change that stores it", async () => {
  await define(MAX_RUNS_PER_CHANGE);
  const stored = await engine.change((tx) =>
    emitEvent(engine.core, tx, {
      environmentId: ENV,
      name: "go",
      data: toJsonText({}),
      version: 1,
      source: "t",
    }),
  );
  expect(stored.runIds).toHaveLength(MAX_RUNS_PER_CHANGE);
});

it("goes on after a stop in the middle, once for each run, and the key answers all of them", async () => {
  await define(many);
  const emitted = engine.emit("go", { n: 1 }, "key-1");
  emitted.catch(() => {});
  await engine.until("the first slice", () => count("runs") > 0);
  const first = count("runs");
  expect(first).toBeLessThan(many);
  await engine.stop();
  await expect(emitted).rejects.toThrow("the engine is stopping");

  engine = await createHarness({ file });
  await engine.until("the rest", () => count("routing_slices") === 0);
  const again = await engine.emit("go", { n: 1 }, "key-1");
  expect(count("events")).toBe(1);
  expect(again.runIds.map((id) => engine.run(id).function_id)).toEqual(expected(0, many));
  expect(count("runs")).toBe(many);
});

it("answers a key that comes again before everything is reached with all runs", async () => {
  await define(many);
  const first = engine.emit("go", {}, "key-1");
  await engine.until("the first slice", () => count("runs") > 0);
  const second = engine.emit("go", {}, "key-1");
  expect((await second).runIds).toHaveLength(many);
  expect(await second).toEqual(await first);
});

const defineWaiter = () =>
  engine.define(
    "waiter",
    (request) =>
      isDone(request, "paid")
        ? completed()
        : yielded({
            type: "wait_for_event",
            step_id: `${request.run_id}:paid:0`,
            event_filter: { event: "paid", timeout: "7d" },
          }),
    { triggers: [{ event: "order" }] },
  );

it("wakes the runs that waited when the event was stored, also those whose time is over before it reaches them", async () => {
  await defineWaiter();
  for (let n = 0; n < many; n += 1) await engine.emit("order");
  await engine.until("all wait", () => count("listeners") === many);
  const paid = engine.emit("paid");
  await engine.until("the first slice", () => count("listeners") < many);
  await engine.change((tx) => {
    expect(count("routing_slices")).toBeGreaterThan(0);
    for (const timer of engine.core.store.timers.earliest(many)) runTimerSource.fire(engine.core, tx, timer);
  });
  await paid;
  expect(count("steps where status = 'completed' and wait_event_id is not null")).toBe(many);
  expect(count("steps where status = 'timed_out'")).toBe(0);
});

it("wakes the runs that waited, and none that begins to wait meanwhile", async () => {
  await defineWaiter();
  for (let n = 0; n < many; n += 1) await engine.emit("order");
  await engine.until("all wait", () => count("listeners") === many);
  const paid = engine.emit("paid");
  await engine.until("the plan", () => count("routing_slices") > 0);
  const [late] = (await engine.emit("order")).runIds;
  await engine.until("it waits too", () => count(`listeners where run_id = '${late}'`) === 1);
  await paid;
  expect(count("steps where status = 'completed' and wait_event_id is not null")).toBe(many);
  expect(engine.steps(late ?? "").map(({ status }) => status)).toEqual(["waiting"]);
});

it("keeps what cannot be reached as a dead letter, and reaches everything else", async () => {
  await define(many);
  db().exec(
    `create trigger broken before insert on runs when new.function_id = '${name(3)}' begin select raise(abort, 'broken'); end`,
  );
  const { eventId } = await engine.emit("go", {}, "key-1");
  expect(runsOf(eventId).toSorted()).toEqual(expected(0, many).filter((id) => id !== name(3)));
  const { items } = engine.core.store.deadLetters.list({ environmentId: ENV }, { limit: 10, offset: 0 });
  expect(items.map(({ source, function_id }) => [source, function_id])).toEqual([["routing", name(3)]]);
  expect(count("routing_slices")).toBe(0);
});

it("keeps the order of a batch: once one event has to wait, those behind it do", async () => {
  await define(60);
  const answers = await storeAndRoute(engine.core, (tx) => {
    const fanOut = createFanOut("events");
    return [1, 2, 3].map((n) =>
      emitEvent(
        engine.core,
        tx,
        { environmentId: ENV, name: "go", data: toJsonText({ n }), version: 1, source: "test" },
        fanOut,
      ),
    );
  });
  expect(answers.map(({ runIds }) => runIds.length)).toEqual([60, 60, 60]);
  const order = db().prepare<{ event_id: string }>("select event_id from runs order by seq").all();
  const ids = answers.map(({ eventId }) => eventId);
  expect(order.map(({ event_id: id }) => ids.indexOf(id))).toEqual(
    [0, 1, 2].flatMap((n) => Array.from({ length: 60 }, () => n)),
  );
});

const append = (entityId: string, event: string) =>
  engine.change((tx) =>
    appendEvent(engine.core, tx, {
      environmentId: ENV,
      entityId,
      entityType: "order",
      name: event,
      data: toJsonText({}),
      expectedVersion: -1,
      version: 1,
    }),
  );

it("delivers an entity's next event after the last run of the one before, also over a stop", async () => {
  await define(many);
  await engine.define("next", () => completed(), { triggers: [{ event: "then" }] });
  const first = await append("o-1", "go");
  await append("o-1", "then");
  engine.clock.advance(0);
  await engine.until("the first slice", () => count("runs") > 0);
  await expect(engine.change((tx) => redactEvent(engine.core, tx, ENV, first.eventId))).rejects.toThrow(
    "is still being delivered",
  );
  await engine.stop();
  engine = await createHarness({ file });
  await engine.until("all of it", () => {
    engine.clock.advance(0);
    return count("outbox") === 0;
  });
  const order = db().prepare<{ function_id: string }>("select function_id from runs order by seq").all();
  expect(order.map(({ function_id: id }) => id)).toEqual([...expected(0, many), "next"]);
});

it("forgets what a purged event had still to reach", async () => {
  await define(many);
  await append("o-1", "go");
  engine.clock.advance(0);
  await engine.until("the plan", () => count("routing_slices") > 0);
  const started = await engine.change((tx) => {
    // Its runs have to be over before a purge.
    for (const { id } of db().prepare<{ id: string }>("select id from runs").all())
      db().exec(`update runs set status = 'completed', ready_at = null where id = '${id}'`);
    deleteStream(engine.core, tx, ENV, "o-1", true);
    return count("runs");
  });
  await engine.settle();
  expect(count("routing_slices")).toBe(0);
  expect(count("runs where event_name = 'go'")).toBe(started);
});
