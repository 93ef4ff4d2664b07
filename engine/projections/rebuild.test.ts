import * as fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import { toJsonText } from "../json/json-text.ts";
import { createHarness, ENV, type Harness } from "../testing/harness.ts";
import { pollEvents, type Delivery } from "./poll.ts";
import { cancelRebuild, rebuildProjection } from "./rebuild.ts";
import { registerProjection, registerSqlProjection } from "./register.ts";
import { saveState } from "./save.ts";
import { GLOBAL_PARTITION } from "./partition.ts";

let engine: Harness;

afterEach(() => engine.stop());

/** A state that shows every event, its order, and one that was taken twice. */
type Seen = { seen: number[] };

const partitions = ["ada", "bob", "eve"];
const whole = "whole";
const parted = "parted";
const sql = "sql";
const handler = (table: string) =>
  `insert into ${table} (customer, orders, seen) values (:data.customer, 1, :data.n)
   on conflict (customer) do update set orders = orders + 1, seen = seen || ',' || excluded.seen`;
const table = (name: string) =>
  `create table ${name} (customer text primary key, orders integer not null, seen text not null)`;

async function register(suffix = ""): Promise<void> {
  await engine.change((tx) => {
    for (const [name, partitionKey] of [
      [whole, ""],
      [parted, "data.customer"],
    ] as const)
      registerProjection(engine.core, tx, {
        environmentId: ENV,
        name: name + suffix,
        events: ["order.*"],
        partitionKey,
        version: 1,
        mode: "managed",
        changeReason: "",
      });
    registerSqlProjection(engine.core, tx, {
      environmentId: ENV,
      name: sql + suffix,
      tableSql: table(`proj_orders${suffix}`),
      handlers: { "order.*": handler(`proj_orders${suffix}`) },
      events: [],
      description: "",
    });
  });
}

/** Partitioned projections are polled for one partition: its state comes with the events. */
function poll(name: string, batchSize: number, partition: string | undefined): Promise<Delivery> {
  return pollEvents(engine.core, { environmentId: ENV, name, batchSize, partition });
}

/** Reduces and saves a delivery, as a worker does. A worker that was too slow is told and forgets it. */
async function save(delivery: Delivery): Promise<void> {
  const last = delivery.events.at(-1);
  if (last === undefined) return;
  const before = delivery.state === undefined ? { seen: [] } : (JSON.parse(delivery.state.state) as Seen);
  const numbers = delivery.events.map(({ event }) => (JSON.parse(event.data) as { n: number }).n);
  const work = engine.change((tx) =>
    saveState(engine.core, tx, ENV, {
      name: delivery.projection.name,
      partition: last.partition,
      state: toJsonText({ seen: [...before.seen, ...numbers] }),
      position: { eventId: last.event.id, seq: last.event.seq },
      timeMs: undefined,
    }),
  );
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== "aborted") throw error;
  });
}

const partitionsOf = (name: string) => (name.startsWith(whole) ? [undefined] : partitions);

/** Works until nothing is left to do. */
async function drain(suffix = ""): Promise<void> {
  // A rebuild of one partition keeps the others waiting: as often around as there was something.
  for (let left = true; left;) {
    left = false;
    for (const name of [whole + suffix, parted + suffix])
      for (const partition of partitionsOf(name)) {
        const delivery = await poll(name, 7, partition);
        await save(delivery);
        left ||= delivery.events.length > 0;
      }
  }
  // Nobody asks for all partitions: the poll without one ends a rebuild that has no events left.
  await poll(parted + suffix, 1, undefined);
  const row = () => engine.core.store.projections.get(ENV, sql + suffix);
  await engine.until(
    `${sql + suffix} to be up to date`,
    () => row()?.rebuild_id === null && row()?.cursor_seq === engine.core.store.eventScanner.headSeq(),
  );
}

function statesOf(name: string): Record<string, unknown> {
  const row = engine.core.store.projections.get(ENV, name);
  const of = { environmentId: ENV, name, generation: row?.generation ?? 0 };
  return Object.fromEntries(
    [GLOBAL_PARTITION, ...partitions].flatMap((partition) => {
      const state = engine.core.store.projectionStates.get(of, partition);
      return state === undefined ? [] : [[partition, JSON.parse(state.state) as unknown]];
    }),
  );
}

function rowsOf(name: string): unknown[] {
  const physical = engine.core.store.projections.get(ENV, name)?.physical_table ?? "";
  return engine.core.store.db.prepare(`select * from "${physical}" order by customer`).all();
}

const which = fc.constantFrom(whole, parted, sql);
const worker = fc.constantFrom(whole, parted);
const partition = fc.nat(partitions.length - 1);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("emit" as const), partition }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("poll" as const),
      name: worker,
      partition,
      batch: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("save" as const), oldest: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("rebuild" as const),
      name: which,
      partition: fc.option(partition),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), name: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const expected = ["already_exists", "failed_precondition"];
const ignoreRefusal = (error: unknown) => {
  if (!(error instanceof ApiError) || !expected.includes(error.code)) throw error;
};

it("a projection rebuilt while events arrive ends equal to one built from scratch, 100 random cases", async () => {
  let rebuilt = 0;
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps: Step[]) => {
      engine = await createHarness();
      try {
        await register();
        const held: Delivery[] = [];
        for (const one of steps) {
          if (one.do === "emit") {
            const customer = partitions[one.partition];
            await engine.emit(`order.${one.partition}`, { n: (n += 1), customer });
          } else if (one.do === "poll") {
            const wanted = one.name === whole ? undefined : partitions[one.partition];
            held.push(await poll(one.name, one.batch, wanted));
          } else if (one.do === "save") {
            const delivery = one.oldest ? held.shift() : held.pop();
            if (delivery !== undefined) await save(delivery);
          } else if (one.do === "rebuild") {
            const only =
              one.name === parted && one.partition !== null ? partitions[one.partition] : undefined;
            const request = { environmentId: ENV, name: one.name, partition: only ?? "", dryRun: false };
            await rebuildProjection(engine.core, { ...request, fromEventId: "", toEventId: "" }).then(
              () => (rebuilt += 1),
              ignoreRefusal,
            );
          } else if (one.do === "cancel") {
            await engine.change((tx) => cancelRebuild(engine.core, tx, ENV, one.name)).catch(ignoreRefusal);
          } else await engine.settle();
        }
        await drain();
        await register("_new");
        await drain("_new");
        expect(statesOf(whole)).toEqual(statesOf(`${whole}_new`));
        expect(statesOf(parted)).toEqual(statesOf(`${parted}_new`));
        expect(rowsOf(sql)).toEqual(rowsOf(`${sql}_new`));
      } finally {
        await engine.stop();
      }
    }),
    { numRuns: 100, seed: 20_261_130 },
  );
  expect(rebuilt).toBeGreaterThan(100);
});
