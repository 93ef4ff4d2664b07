import { expectLike, expectThat, isArray } from "../like.ts";
import type { Row } from "../row.ts";

/** Section 2.12. */
export const sqlRows: Row[] = [
  {
    id: "2.12.execute",
    mark: "S",
    title: "ExecuteSQL answers columns, rows of texts and their number",
    check: async (t) => {
      const id = await t.define("sql", ({ steps }) => steps.run("one", () => 1));
      const run = await t.reaches(await t.start(id), "completed");
      const query = `select id, function_id, status from runs where function_id = '${id}'`;
      const answer = await t.rpc("QueryService/ExecuteSQL", { query, timeoutMs: 5_000, maxRows: 10 });
      expectLike(answer, { columns: ["id", "function_id", "status"], rows: isArray, totalRows: 1 });
      expectLike((answer["rows"] as { values: string[] }[])[0]?.values, [String(run["id"]), id, "completed"]);
    },
  },
  {
    id: "2.12.rest",
    mark: "S",
    title: "POST /api/v1/sql answers the same with rows as bare arrays",
    check: async (t) => {
      const answer = await t.send("POST", "/api/v1/sql", {
        query: "with a as (select 1 as n) select n, 'x' as t from a",
        timeout_ms: 5_000,
        max_rows: 10,
      });
      expectLike(answer, { columns: ["n", "t"], rows: [["1", "x"]], total_rows: 1 });
    },
  },
  {
    id: "2.12.tables",
    mark: "K",
    title: "runs, steps, events and functions have the columns that the public examples use",
    check: async (t) => {
      for (const query of [
        "select id, function_id, status, error, started_at from runs limit 1",
        "select run_id, step_id, status, error, created_at from steps limit 1",
        "select id, name, source, timestamp from events limit 1",
        "select id, version from functions limit 1",
      ])
        expectLike(await t.send("POST", "/api/v1/sql", { query }), { columns: isArray });
    },
  },
  {
    id: "2.12.read-only",
    mark: "S",
    title: "anything but SELECT and WITH is refused",
    check: async (t) => {
      for (const query of [
        "delete from runs",
        "pragma user_version",
        "with a as (select 1) delete from runs",
      ]) {
        const { status } = await t.raw("POST", "/api/v1/sql", { body: { query } });
        expectThat(`${query}: 400 or 403, not ${status}`, status === 400 || status === 403);
      }
    },
  },
  {
    id: "2.12.limits",
    mark: "S",
    title: "rows and time are limited to 10,000 and 30 s",
    check: async (t) => {
      const query =
        "with recursive r(n) as (select 1 union all select n + 1 from r limit 50) select n from r";
      expectLike(await t.send("POST", "/api/v1/sql", { query, max_rows: 3 }), {
        rows: [["1"], ["2"], ["3"]],
      });
      await t.restFails("POST", "/api/v1/sql", 400, { query, max_rows: 10_001 });
      await t.restFails("POST", "/api/v1/sql", 400, { query, timeout_ms: 30_001 });
    },
  },
  {
    id: "2.12.time-limit",
    mark: "I",
    title: "a query that is too slow ends with deadline_exceeded",
    check: async (t) => {
      const query = "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r";
      await t.rpcFails("QueryService/ExecuteSQL", { query, timeoutMs: 100 }, "deadline_exceeded");
    },
  },
];
