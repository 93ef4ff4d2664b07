import { afterEach, beforeEach, expect, it } from "vitest";
import { openDatabase, type Database } from "./database.ts";
import { searchIds, type Found, type SearchedList } from "./id-search.ts";
import { createEventTable } from "./events.ts";

const environmentId = "env_default";
const rows = 12_000;
let db: Database;
const on = new AbortController().signal;

/** Rows of several turns. Every hundredth id has an x. */
beforeEach(() => {
  db = openDatabase(":memory:");
  const events = createEventTable(db);
  db.exec("begin");
  for (let n = 0; n < rows; n += 1) {
    events.insert({
      id: `evt_${String(n).padStart(6, "0")}${n % 100 === 0 ? "x" : ""}`,
      environment_id: environmentId,
      name: n % 200 === 0 ? "even" : "odd",
      data: "{}",
      metadata: null,
      source: "api",
      version: 1,
      idempotency_key: null,
      run_id: null,
      timestamp: 1_000 + Math.floor(n / 10),
    });
  }
  db.exec("commit");
});

afterEach(() => db.close());

const list = (more: Partial<SearchedList> = {}): SearchedList => ({
  table: "events",
  environmentId,
  search: "x",
  sinceMs: undefined,
  untilMs: undefined,
  where: [],
  values: [],
  ...more,
});

async function search(more: Partial<SearchedList>, most = rows, gone = on): Promise<Found[]> {
  const found: Found[] = [];
  await searchIds(db, list(more), gone, (row) => found.push(row) < most);
  return found;
}

it("finds every id once, newest first, over several turns", async () => {
  const found = await search({});
  expect(found.map(({ id }) => id)).toEqual(
    Array.from({ length: rows / 100 }, (_, n) => `evt_${String((119 - n) * 100).padStart(6, "0")}x`),
  );
  expect(await search({ where: ["name = ?"], values: ["even"] })).toHaveLength(60);
  expect(await search({ sinceMs: 1_100, untilMs: 1_200 })).toHaveLength(10);
  expect(await search({ environmentId: "env_other" })).toEqual([]);
  expect(await search({}, 3)).toHaveLength(3);
});

it("lets everything else go on between its turns, and one search wait for the other", async () => {
  const order: string[] = [];
  let searching = true;
  const turn = () => {
    order.push("turn");
    if (searching) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all([
    search({ search: "none" }).then(() => order.push("first")),
    search({ search: "none" }).then(() => order.push("second")),
  ]);
  searching = false;
  expect(order.indexOf("first")).toBeGreaterThanOrEqual(2);
  expect(order.indexOf("second") - order.indexOf("first")).toBeGreaterThanOrEqual(2);
});

it("ends when its caller is gone, and gives way to the next", async () => {
  const leaving = new AbortController();
  const left = search({ search: "evt" }, rows, leaving.signal);
  leaving.abort();
  expect((await left).length).toBeLessThan(rows);
  expect(await search({})).toHaveLength(rows / 100);
});

it("walks an index between two places for each turn, so that a list is walked once and not once a turn", async () => {
  const seen: string[] = [];
  const spy: Database = {
    ...db,
    prepare: (sql) => {
      seen.push(sql);
      return db.prepare(sql);
    },
  };
  for (const table of ["events", "runs"] as const) await searchIds(spy, list({ table }), on, () => true);
  expect(seen).toHaveLength(4);
  for (const sql of seen) {
    const plan = db
      .prepare<{ detail: string }>(`explain query plan ${sql}`)
      .all(...Array<null>(sql.split("?").length - 1).fill(null));
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(
        /^SEARCH (events|runs) USING COVERING INDEX \w+_by_time \(environment_id=\? AND \w+>\? AND \w+<\?\)$/,
      ),
    ]);
  }
});
