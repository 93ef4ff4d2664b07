import { afterEach, beforeEach, expect, it } from "vitest";
import { RunStatus } from "../contract/enums.ts";
import { openDatabase, type Database } from "./database.ts";
import { findRuns, type RunFilter, type RunPageAsked } from "./run-list.ts";
import { createRunTable, type RunRow, type RunTable } from "./runs.ts";

let db: Database;
let runs: RunTable;
let rows: RunRow[];
const environmentId = "env_default";

/** 70 runs: every status, two functions, several in one millisecond. */
beforeEach(() => {
  db = openDatabase(":memory:");
  runs = createRunTable(db);
  rows = [];
  for (let n = 0; n < 70; n += 1) {
    const at = 1_000 + Math.floor(n / 3);
    const made = runs.insert(
      {
        id: `run_${String(n * 7919).padStart(8, "0")}`,
        environment_id: environmentId,
        function_id: n % 2 === 0 ? "even" : "odd",
        function_version: 1,
        event_id: `evt_${Math.floor(n / 10)}`,
        event_name: "e",
        execution_mode: "push",
        max_attempts: 3,
        input: "{}",
        parent_run_id: null,
        parent_step_id: null,
        depth: 0,
        lane_key: "",
      },
      at,
      "queued",
    );
    const status = RunStatus.options[n % RunStatus.options.length] ?? "running";
    rows.push(runs.update(made, { status }, at));
  }
  rows.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
});

afterEach(() => db.close());

const list = (filter: Partial<RunFilter>, page: RunPageAsked, of = db) =>
  findRuns(of, { environmentId, ...filter }, page, new AbortController().signal);
const ids = (list: RunRow[]) => list.map(({ id }) => id);

const filters: [string, Partial<RunFilter>, (row: RunRow) => boolean][] = [
  ["nothing", {}, () => true],
  ["a function", { functionId: "odd" }, (row) => row.function_id === "odd"],
  ["a status", { statuses: ["failed"] }, (row) => row.status === "failed"],
  [
    "statuses",
    { statuses: ["failed", "paused", "failed"] },
    (row) => ["failed", "paused"].includes(row.status),
  ],
  [
    "function and statuses",
    { functionId: "even", statuses: ["completed", "running"] },
    (row) => row.function_id === "even" && ["completed", "running"].includes(row.status),
  ],
  ["an event", { eventId: "evt_3" }, (row) => row.event_id === "evt_3"],
  [
    "a time range",
    { sinceMs: 1_005, untilMs: 1_010 },
    (row) => row.created_at >= 1_005 && row.created_at < 1_010,
  ],
  ["a text", { search: "RUN\\_000%1" }, (row) => /run_000.*1/.test(row.id)],
  [
    "text, function and status",
    { search: "7", functionId: "odd", statuses: ["waiting"] },
    (row) => row.id.includes("7") && row.function_id === "odd" && row.status === "waiting",
  ],
];

it.each(filters)("filters by %s, pages by cursor and by offset, and counts", async (_, filter, wanted) => {
  const expected = ids(rows.filter(wanted));
  expect(expected.length).toBeGreaterThan(0);
  const byCursor: string[] = [];
  const byOffset: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(filter, { limit: 4, cursor });
    byCursor.push(...ids(page.runs));
    byOffset.push(...ids((await list(filter, { limit: 4, offset: byOffset.length })).runs));
    expect(page.total).toBe(expected.length);
    cursor = page.nextCursor === "" ? undefined : page.nextCursor;
  } while (cursor !== undefined);
  expect(byCursor).toEqual(expected);
  expect(byOffset).toEqual(expected);
});

it("shows a page without doubles or gaps although newer runs come in between", async () => {
  const first = await list({}, { limit: 10 });
  const newest = rows[0];
  if (newest === undefined) throw new Error("no rows");
  runs.insert({ ...newest, id: "run_zzz" }, 5_000, "queued");
  const second = await list({}, { limit: 10, cursor: first.nextCursor });
  expect(ids(second.runs)).toEqual(ids(rows.slice(10, 20)));
  expect(second.total).toBe(71);
});

it("sees no runs of another environment", async () => {
  expect(await list({ environmentId: "env_other" }, { limit: 10 })).toEqual({
    runs: [],
    nextCursor: "",
    total: 0,
  });
});

it.each(["", "x", "bm90IGpzb24", Buffer.from("[1]").toString("base64url")])(
  "refuses the cursor %j",
  async (cursor) => {
    expect(() => list({}, { limit: 1, cursor })).toThrow(/^cursor: /);
    await expect(list({ search: "x" }, { limit: 1, cursor })).rejects.toThrow(/^cursor: /);
  },
);

it("counts correctly after runs were changed and deleted", () => {
  const [one, two] = rows;
  if (one === undefined || two === undefined) throw new Error("no rows");
  const before = runs.count(environmentId, ["cancelled"]);
  runs.update(one, { status: "cancelled" }, 1);
  runs.update(two, { attempt: 2 }, 1);
  expect(runs.count(environmentId, ["cancelled"])).toBe(before + (one.status === "cancelled" ? 0 : 1));
  runs.delete(one.id);
  expect(runs.count(environmentId, RunStatus.options)).toBe(69);
});

it("never scans the table for a page", async () => {
  const seen: string[] = [];
  const spy: Database = {
    ...db,
    prepare: (sql) => {
      if (sql.startsWith("select runs.*")) seen.push(sql);
      return db.prepare(sql);
    },
  };
  for (const [, filter] of filters) await list(filter, { limit: 10 }, spy);
  expect(seen).toHaveLength(filters.filter(([, { search }]) => search === undefined).length);
  for (const sql of seen) {
    const plan = db
      .prepare<{ detail: string }>(`explain query plan ${sql}`)
      .all(...Array(sql.split("?").length - 1).fill(null));
    expect(plan.map(({ detail }) => detail).filter((detail) => /^SCAN runs(?! USING)/.test(detail))).toEqual(
      [],
    );
  }
});
