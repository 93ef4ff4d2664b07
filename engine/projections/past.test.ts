import { afterEach, beforeEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import { createHarness, ENV, type Harness } from "../testing/harness.ts";
import { GLOBAL_PARTITION } from "./partition.ts";
import { PAST_STATES_KEPT, stateAt } from "./past.ts";
import { pollEvents } from "./poll.ts";
import { rebuildProjection } from "./rebuild.ts";
import { registerProjection, unregisterProjection } from "./register.ts";
import { saveState } from "./save.ts";
import { findProjection } from "./track.ts";

let engine: Harness;
const name = "sum";

beforeEach(async () => {
  engine = await createHarness();
  await register(name, "managed");
});

afterEach(() => engine.stop());

const register = (named: string, mode: "managed" | "external") =>
  engine.change((tx) =>
    registerProjection(engine.core, tx, {
      environmentId: ENV,
      name: named,
      events: ["add"],
      partitionKey: "",
      version: 1,
      mode,
      changeReason: "",
    }),
  );

/** One event, and the state with it: a second later than the one before. @returns when it was saved, ms */
async function add(n: number, text = ""): Promise<number> {
  await engine.emit("add", { n });
  engine.clock.advance(1_000);
  await work({ n, text });
  return engine.clock.nowMs();
}

async function work(state: unknown): Promise<void> {
  const { events } = await pollEvents(engine.core, { environmentId: ENV, name, batchSize: 100 });
  const last = events.at(-1);
  if (last === undefined) throw new Error("there is nothing to save");
  await engine.change((tx) =>
    saveState(engine.core, tx, ENV, {
      name,
      partition: "",
      state: toJsonText(state),
      position: { eventId: last.event.id, seq: 0 },
      timeMs: last.event.timestamp,
    }),
  );
}

const at = (ms: number): unknown => {
  const row = stateAt(engine.core, findProjection(engine.core, ENV, name), GLOBAL_PARTITION, ms);
  return row === undefined ? undefined : (JSON.parse(row.state) as { n: number }).n;
};
const kept = () =>
  engine.core.store.db.prepare<{ n: number }>("select count(*) as n from projection_past_states").get()?.n;

it("answers what was answered then, to the millisecond, and nothing before the first save", async () => {
  const registered = engine.clock.nowMs();
  const times = [await add(1), await add(2), await add(3)];
  for (const [index, ms] of times.entries()) {
    expect(at(ms)).toBe(index + 1);
    expect(at(ms - 1)).toBe(index === 0 ? undefined : index);
  }
  expect(at(engine.clock.nowMs() + 1e9)).toBe(3);
  expect(at(registered)).toBeUndefined();
  expect(() => at(registered - 1)).toThrow(/^as_of: sum was registered at /);
});

it("keeps a bounded number of states, and says from when on", async () => {
  const times: number[] = [];
  for (let n = 0; n < PAST_STATES_KEPT.states + 3; n += 1) times.push(await add(n));
  expect(kept()).toBe(PAST_STATES_KEPT.states);
  expect(at(times[2] ?? 0)).toBe(2);
  expect(() => at(times[1] ?? 0)).toThrow(/^as_of: the states of sum are kept from /);
});

it("keeps a bounded number of bytes", async () => {
  const third = "x".repeat(PAST_STATES_KEPT.bytes / 3);
  const times: number[] = [];
  for (let n = 0; n < 5; n += 1) times.push(await add(n, third));
  expect(kept()).toBe(2);
  expect(at(times[2] ?? 0)).toBe(2);
  expect(() => at(times[1] ?? 0)).toThrow(/kept from/);
});

it("knows nothing of before a rebuild, and goes with its projection", async () => {
  const before = await add(1);
  await add(2);
  await rebuildProjection(engine.core, {
    environmentId: ENV,
    name,
    partition: "",
    fromEventId: "",
    toEventId: "",
    dryRun: false,
  });
  engine.clock.advance(1_000);
  await work({ n: 20 });
  const rebuilt = engine.clock.nowMs();
  expect(() => at(before)).toThrow(/^as_of: sum was rebuilt at /);
  expect(at(rebuilt)).toBe(20);
  const later = await add(30);
  expect([at(rebuilt), at(later)]).toEqual([20, 30]);
  await engine.change((tx) => unregisterProjection(engine.core, tx, ENV, name));
  await engine.until("its states to go", () => kept() === 0);
});

it("is refused where the engine keeps no whole state", async () => {
  await register("outside", "external");
  const row = findProjection(engine.core, ENV, "outside");
  expect(() => stateAt(engine.core, row, GLOBAL_PARTITION, engine.clock.nowMs())).toThrow(/is not kept/);
});
