import { afterEach, beforeEach, expect, it } from "vitest";
import { openDatabase, type Database } from "./database.ts";
import { findEvents, type EventFilter } from "./event-list.ts";
import { createEventTable } from "./events.ts";
import { toLikePattern } from "./like.ts";

let db: Database;
const environmentId = "env_default";
let newestFirst: { id: string; name: string; timestamp: number }[];

beforeEach(() => {
  db = openDatabase(":memory:");
  const table = createEventTable(db);
  newestFirst = [];
  for (let n = 0; n < 25; n += 1) {
    const event = {
      id: `evt_${String((n * 37) % 100).padStart(3, "0")}`,
      name: n % 2 === 0 ? "order.placed" : "50%_off\\x",
      timestamp: 1_000 + Math.floor(n / 2),
    };
    newestFirst.push(event);
    table.insert({
      ...event,
      environment_id: environmentId,
      data: "{}",
      metadata: null,
      source: n < 5 ? "webhook" : "api",
      version: 1,
      idempotency_key: null,
      run_id: null,
    });
  }
  newestFirst.sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? 1 : -1));
});

afterEach(() => db.close());

const list = async (
  filter: Partial<EventFilter>,
  page: { limit: number; cursor?: string; before?: string },
) => findEvents(db, { environmentId, ...filter }, page, new AbortController().signal);
const ids = (events: { id: string }[]) => events.map(({ id }) => id);

it.each([{}, { search: "t_0" }, { search: "0" }])(
  "walks with %o to older events with cursor and back to newer ones with before",
  async (filter) => {
    const limit = Math.ceil(newestFirst.filter(({ id }) => id.includes(filter.search ?? "")).length / 2.5);
    const wanted = newestFirst.filter(({ id }) => id.includes(filter.search ?? ""));
    const cold = await list(filter, { limit });
    expect(cold).toMatchObject({ hasNext: true, hasPrev: false, total: wanted.length, totalCapped: false });
    expect(cold.prevCursor).toBeUndefined();
    const second = await list(filter, { limit, cursor: cold.nextCursor ?? "" });
    expect(second).toMatchObject({ hasNext: true, hasPrev: true });
    const third = await list(filter, { limit, cursor: second.nextCursor ?? "" });
    expect(third).toMatchObject({ hasNext: false, hasPrev: true });
    expect([...ids(cold.events), ...ids(second.events), ...ids(third.events)]).toEqual(ids(wanted));

    const back = await list(filter, { limit, before: third.prevCursor ?? "" });
    expect(ids(back.events)).toEqual(ids(second.events));
    expect(back).toMatchObject({ hasNext: true, hasPrev: true });
    const first = await list(filter, { limit, before: back.prevCursor ?? "" });
    expect(ids(first.events)).toEqual(ids(cold.events));
    expect(first.hasPrev).toBe(false);
  },
);

it.each<[string, Partial<EventFilter>, (event: { id: string; name: string; timestamp: number }) => boolean]>([
  ["name without case", { name: "ORDER" }, (e) => e.name === "order.placed"],
  ["name with a wildcard", { name: "o_der%placed" }, (e) => e.name === "order.placed"],
  ["name with literal wildcards", { name: "50\\%\\_off\\\\x" }, (e) => e.name === "50%_off\\x"],
  ["exact names", { names: ["order.placed", "none"] }, (e) => e.name === "order.placed"],
  ["several names", { names: ["order.placed", "50%_off\\x", "order.placed"] }, () => true],
  ["names are no patterns", { names: ["order%"] }, () => false],
  ["id", { search: "EVT\\_03" }, (e) => e.id.startsWith("evt_03")],
  [
    "since inclusive, until exclusive",
    { sinceMs: 1_003, untilMs: 1_006 },
    (e) => e.timestamp >= 1_003 && e.timestamp < 1_006,
  ],
])("filters by %s", async (_, filter, wanted) => {
  expect(ids((await list(filter, { limit: 100 })).events)).toEqual(ids(newestFirst.filter(wanted)));
});

it("pages through several names in both directions", async () => {
  const names = ["50%_off\\x", "order.placed"];
  const first = await list({ names }, { limit: 20 });
  const second = await list({ names }, { limit: 20, cursor: first.nextCursor ?? "" });
  expect([...ids(first.events), ...ids(second.events)]).toEqual(ids(newestFirst));
  expect(ids((await list({ names }, { limit: 20, before: second.prevCursor ?? "" })).events)).toEqual(
    ids(first.events),
  );
});

it("filters by source and counts what it found", async () => {
  expect(await list({ source: "webhook" }, { limit: 2 })).toMatchObject({ hasNext: true, total: 5 });
});

it.each([
  ["a%b", "%a%b%"],
  ["a\\%b", "%a\\%b%"],
  ["a\\b", "%a\\\\b%"],
  ["a\\", "%a\\\\%"],
  ["a\\\\", "%a\\\\%"],
])("turns %s into the pattern %s", (search, pattern) => {
  expect(toLikePattern(search)).toBe(pattern);
});
