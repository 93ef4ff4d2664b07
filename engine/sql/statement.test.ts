import { expect, it } from "vitest";
import { checkStatement } from "./statement.ts";

it.each([
  "select 1",
  "SELECT 1;",
  " \n\t with a as (select 1) select * from a ;; -- end",
  "/* ; */ select ';', \";\", [;], `;` -- ; drop",
  "select 'it''s; fine'",
  "select 1 /* never closed; drop table runs",
])("lets %j through", (sql) => {
  expect(() => checkStatement(sql)).not.toThrow();
});

it.each([
  "",
  ";",
  "; select 1",
  "insert into t values (1)",
  "explain select 1",
  "values (1)",
  "(select 1)",
  "selection",
  "'select' 1",
  "\u00a0select 1",
])("refuses %j, which does not begin with SELECT or WITH", (sql) => {
  expect(() => checkStatement(sql)).toThrow(/SELECT or WITH|one statement/);
});

it.each([
  "select 1; select 2",
  "select 1; -- and\n drop table t",
  "select ''';'; drop table t",
  'select "a"";"; drop table t',
  "select [;]; drop table t",
  "select 1 /* a */ ; /* b */ x",
])("refuses %j, which is two statements", (sql) => {
  expect(() => checkStatement(sql)).toThrow("query: must be one statement");
});

it("takes no time over a long query that is made to take long", () => {
  const from = process.cpuUsage();
  for (const unit of ["'", '"', "/*", "--", "[", "`", "''", "a/", "\n-"])
    checkStatement(`select ${unit.repeat(50_000)}`);
  expect(process.cpuUsage(from).user / 1_000).toBeLessThan(2_000);
});
