import { poll } from "../../../loopback/testing/poll.ts";
import { expectLike, isText, isUnset } from "../like.ts";
import type { Row } from "../row.ts";
import { WAIT_MS, type Body } from "../target.ts";
import { rpc, fails, defineSql, caughtUp, job, status } from "./projection-work.ts";

/** Sections 2.6 and 2.11: projections in SQL and their dead letters. */
export const sqlProjectionRows: Row[] = [
  {
    id: "2.6.sql",
    mark: "S",
    title: "a SQL projection is brought up to date by the engine itself",
    check: async (t) => {
      const { name, event } = await defineSql(t);
      let last = "";
      for (const [n, customer] of ["ada", "bob", "ada"].entries())
        last = (await t.emit(event, { n: n + 1, customer })).eventId;
      expectLike(await caughtUp(t, name, last), { caughtUp: true });
      expectLike(await status(t, name), { status: "active", lag: isUnset, lastEventSeq: isText });
      const all = await rpc(t, "ListProjections", { limit: 1000 });
      expectLike(
        (all["projections"] as Body[]).find((one) => one["name"] === name),
        { type: "sql", description: "totals by customer", eventHandlers: { [event]: isText } },
      );
      await fails(t, "PollProjectionEvents", { name }, "failed_precondition");
    },
  },
  {
    id: "2.6.sql.query",
    mark: "S",
    title:
      "QuerySQLProjection reads its table with a condition and an order, and so does SQL, in this environment",
    check: async (t) => {
      const { name, event, table } = await defineSql(t);
      let last = "";
      for (const [n, customer] of ["ada", "bob", "ada", "eve"].entries())
        last = (await t.emit(event, { n: n + 1, customer })).eventId;
      await caughtUp(t, name, last);
      const query = { name, where: "total > 2 -- not bob", orderBy: "total desc" };
      expectLike(await rpc(t, "QuerySQLProjection", query), {
        columns: ["customer", "orders", "total"],
        rows: [{ values: ["ada", "2", "4"], typedValues: ["ada", 2, 4] }, { values: ["eve", "1", "4"] }],
        totalCount: 2,
      });
      expectLike(await rpc(t, "QuerySQLProjection", { name, limit: 1, offset: 1, orderBy: "customer" }), {
        rows: [{ values: ["bob", "1", "2"] }],
        totalCount: 3,
      });
      const sql = { query: `select sum(total) as total from ${table}` };
      expectLike(await t.rpc("QueryService/ExecuteSQL", sql), {
        columns: ["total"],
        rows: [{ values: ["10"] }],
      });
      await rpc(t, "RebuildProjection", { name });
      await poll("the rebuild to end", async () => (await job(t, name))["status"] === "completed", WAIT_MS);
      expectLike(await t.rpc("QueryService/ExecuteSQL", sql), { rows: [{ values: ["10"] }] });
      for (const where of ["1) union select 1, 2, 3 --", "1; select 2", "total > (", "nobody = 1"])
        await fails(t, "QuerySQLProjection", { name, where }, "invalid_argument");
    },
  },
  {
    id: "2.6.sql.refused",
    mark: "I",
    title: "SQL that reaches beyond its own table, or could run for ever, is invalid_argument",
    check: async (t) => {
      const table = "proj_refused";
      const good = `insert into ${table} (a) values (:data.a)`;
      const create = (tableSql: string, handler: string) => ({
        name: t.name("refused"),
        tableSql,
        eventHandlers: { "refused.event": handler },
      });
      const make = `create table ${table} (a)`;
      const refusedTables = [
        "create table orders (a)",
        `create table ${table}_${"x".repeat(40)} (a)`,
        `create table ${table} as select * from runs`,
        `create temp table ${table} (a)`,
        `${make}; drop table runs`,
        `${make}; create trigger x after insert on ${table} begin delete from runs; end`,
        `create table ${table} (a references runs (id))`,
        `create table ${table} (a, b default (randomblob(9)))`,
        `create virtual table ${table} using fts5(a)`,
        "attach 'x' as y",
        "",
      ];
      for (const tableSql of refusedTables)
        await fails(t, "CreateSQLProjection", create(tableSql, good), "invalid_argument");
      const refusedHandlers = [
        "delete from runs",
        "update api_keys set hash = 'x'",
        `insert into ${table} (a) select id from runs`,
        `insert into ${table} (a) values ((select hash from api_keys))`,
        `with recursive r(n) as (select 1 union all select n + 1 from r) insert into ${table} (a) select n from r`,
        `insert or rollback into ${table} (a) values (1)`,
        `update ${table} set a = b.a from ${table} as b`,
        `insert into ${table} (a) values (randomblob(1000000000))`,
        `insert into ${table} (a) values (printf('%1000000000d', 1))`,
        `insert into ${table} (a) values (load_extension('x'))`,
        `insert into ${table} (a) values (?)`,
        `insert into ${table} (a) values (:secret)`,
        `insert into main.${table}_x (a) values (1)`,
        `drop table ${table}`,
        `${good}; vacuum`,
        "pragma user_version = 9",
        "not sql",
        "",
      ];
      for (const handler of refusedHandlers)
        await fails(t, "CreateSQLProjection", create(make, handler), "invalid_argument");
    },
  },
  {
    id: "2.6.sql.table",
    mark: "I",
    title: "one table belongs to one projection",
    check: async (t) => {
      const { table } = await defineSql(t);
      const message = {
        name: t.name("second"),
        tableSql: `create table ${table} (a)`,
        eventHandlers: { "a.b": `insert into ${table} (a) values (1)` },
      };
      await fails(t, "CreateSQLProjection", message, "already_exists");
    },
  },
  {
    id: "2.11.sql-apply",
    mark: "M",
    title:
      "an event on which a SQL projection fails is a dead letter, and the projection says so and stops before it",
    check: async (t) => {
      const { name, event, table } = await defineSql(t);
      const good = await t.emit(event, { n: 1, customer: "ada" });
      const bad = await t.emit(event, { n: -5, customer: "bob" });
      const later = await t.emit(event, { n: 2, customer: "ada" });
      const stopped = await poll(
        "the projection to stop",
        async () => {
          const now = await status(t, name);
          return now["status"] === "error" && now;
        },
        WAIT_MS,
      );
      expectLike(stopped, { errorMessage: new RegExp(bad.eventId), lag: isText });
      expectLike(await caughtUp(t, name, good.eventId), { caughtUp: true });
      const page = (await t.get("/api/v1/dead-letters?env=default&source=sql_apply&limit=500")) as Body;
      const letters = (page["items"] as Body[]).filter((one) => one["event_id"] === bad.eventId);
      expectLike(letters, [{ source: "sql_apply", subject: `projection:${name}`, error: /CHECK/ }]);
      expectLike(Buffer.from(String(letters[0]?.["payload"]), "base64").toString(), /"n":-5/);
      await rpc(t, "CreateSQLProjection", {
        name,
        tableSql: `create table ${table} (customer text primary key, orders integer not null, total integer not null check (total >= 0))`,
        eventHandlers: {
          [event]: `insert into ${table} values (:data.customer, 1, max(0, :data.n))
             on conflict (customer) do update set orders = orders + 1, total = total + excluded.total`,
        },
        description: "totals by customer",
      });
      expectLike(await caughtUp(t, name, later.eventId), { caughtUp: true });
      expectLike(await status(t, name), { status: "active", errorMessage: isUnset });
    },
  },
  {
    id: "2.6.sql.rebuild",
    mark: "M",
    title: "a SQL projection is rebuilt aside by the engine",
    check: async (t) => {
      const { name, event } = await defineSql(t);
      let last = "";
      for (let n = 1; n <= 20; n += 1) last = (await t.emit(event, { n, customer: `c${n % 3}` })).eventId;
      await caughtUp(t, name, last);
      expectLike(await rpc(t, "RebuildProjection", { name }), { job: { totalEvents: "20" } });
      const done = await poll(
        "the rebuild to end",
        async () => {
          const now = await job(t, name);
          return now["status"] !== "running" && now;
        },
        WAIT_MS,
      );
      expectLike(done, { status: "completed", eventsProcessed: "20", progress: 100 });
    },
  },
];
