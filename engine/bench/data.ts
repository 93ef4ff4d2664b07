import { poll } from "../../loopback/testing/poll.ts";
import type { EngineFactory } from "../testing/engine-process.ts";
import { createClient, type Client } from "./client.ts";
import { ratePerSecond } from "./stats.ts";

export interface DataRates {
  /** Appends to many streams by many clients. */
  appendsPerSecond: number;
  /** Events through one worker of a managed projection: poll, reduce, save. */
  projectionEventsPerSecond: number;
  /** Events through a SQL projection, which the engine applies itself. */
  sqlProjectionEventsPerSecond: number;
  /** Values of about 40 bytes into many keys of one bucket by many clients. */
  kvPutsPerSecond: number;
}

export interface DataSizes {
  appends: number;
  /** Appends that are under way at the same time. */
  atOnce: number;
  say: (line: string) => void;
}

const event = "order.changed";
const entities = 500;
/** What SDK workers ask for. */
const batchSize = 100;
const withinMs = 300_000;

/** Streams and projections through a real engine process with its key. */
export async function measureData(factory: EngineFactory, sizes: DataSizes): Promise<DataRates> {
  const engine = await factory.start({ flags: [] });
  const client = createClient(engine.url, engine.key);
  try {
    const append = (n: number) =>
      client.rpc("EntityStreamService/AppendEvent", {
        entityId: `order-${n % entities}`,
        entityType: "order",
        eventName: event,
        data: { n, order: "o-1", lines: [1, 2, 3] },
        expectedVersion: -1,
      });
    const appendsPerSecond = await ratePerSecond(sizes.appends, sizes.atOnce, append);
    sizes.say(`${sizes.appends} appends: ${appendsPerSecond.toFixed(0)} per second`);
    const projectionEventsPerSecond = await managed(client, sizes.appends);
    sizes.say(`a managed projection: ${projectionEventsPerSecond.toFixed(0)} events per second`);
    const sqlProjectionEventsPerSecond = await sql(client, sizes.appends);
    sizes.say(`a SQL projection: ${sqlProjectionEventsPerSecond.toFixed(0)} events per second`);
    await client.post("/api/v1/kv/buckets", JSON.stringify({ name: "APP_bench" }));
    let puts = 0;
    const kvPutsPerSecond = await ratePerSecond(sizes.appends, sizes.atOnce, () => {
      const n = (puts += 1);
      const value = JSON.stringify({ n, order: "o-1", lines: [1, 2, 3] });
      return client.put(`/api/v1/kv/buckets/APP_bench/keys/order.${n % entities}`, value);
    });
    sizes.say(`${sizes.appends} key-value puts: ${kvPutsPerSecond.toFixed(0)} per second`);
    return { appendsPerSecond, projectionEventsPerSecond, sqlProjectionEventsPerSecond, kvPutsPerSecond };
  } finally {
    client.close();
    await engine.end("SIGTERM");
  }
}

interface Polled {
  events?: { seq: string; id: string; data: { n: number } }[];
  currentState?: { sum: number };
}

async function managed(client: Client, events: number): Promise<number> {
  const name = "sum";
  await client.rpc("ProjectionService/RegisterProjection", { name, events: [event], mode: "managed" });
  const start = performance.now();
  for (let done = 0; done < events;) {
    const polled = (await client.rpc("ProjectionService/PollProjectionEvents", {
      name,
      batchSize,
    })) as Polled;
    const batch = polled.events ?? [];
    const last = batch.at(-1);
    if (last === undefined) throw new Error(`only ${done} of ${events} events came`);
    const sum = batch.reduce((all, { data }) => all + data.n, polled.currentState?.sum ?? 0);
    await client.rpc("ProjectionService/SaveProjectionState", {
      name,
      state: { sum },
      lastEventId: last.id,
      lastEventSeq: last.seq,
    });
    done += batch.length;
  }
  return events / ((performance.now() - start) / 1000);
}

async function sql(client: Client, events: number): Promise<number> {
  const name = "totals";
  const start = performance.now();
  await client.rpc("ProjectionService/CreateSQLProjection", {
    name,
    tableSql:
      "create table proj_totals (entity text primary key, events integer not null, total integer not null)",
    eventHandlers: {
      [event]: `insert into proj_totals values (:entity_id, 1, :data.n)
        on conflict (entity) do update set events = events + 1, total = total + excluded.total`,
    },
  });
  await poll(
    "the SQL projection to be up to date",
    async () => (await client.rpc("ProjectionService/GetProjectionStatus", { name }))["lag"] === undefined,
    withinMs,
  );
  return events / ((performance.now() - start) / 1000);
}
