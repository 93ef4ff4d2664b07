import { afterEach, describe, expect, it } from "vitest";
import { createHarness, ENV, type Harness } from "../../testing/harness.ts";
import { rebuildProjection } from "../rebuild.ts";
import { registerSqlProjection, resumeProjection, unregisterProjection } from "../register.ts";
import { checkDefinition } from "./tables.ts";
import { handlerStatements, tableStatements } from "./statements.ts";
import { valuesOf } from "./values.ts";

describe("statements", () => {
  const rewrite = (sql: string) => handlerStatements("e", sql, "proj_a", "tbl_1");

  it("get the table's name in the store and numbered placeholders, and keep everything else", () => {
    expect(
      rewrite(
        "insert into proj_a (a, b) values (:data.x, 'proj_a :data.y' || :data.x) -- :data.z\n; update PROJ_A set a=a- -1 where \"proj_a\".b = :entity_id",
      ),
    ).toEqual([
      {
        sql: "insert into \"tbl_1\" (a, b) values (?1, 'proj_a :data.y' || ?1)",
        placeholders: ["data.x"],
      },
      { sql: 'update "tbl_1" set a=a- -1 where "tbl_1".b = ?1', placeholders: ["entity_id"] },
    ]);
  });

  it("keep what a comment would have hidden apart", () => {
    expect(rewrite("update proj_a set a = 1 -/**/- 1").map(({ sql }) => sql)).toEqual([
      'update "tbl_1" set a = 1 - - 1',
    ]);
  });

  it("of a table carry its indexes along under names of their own", () => {
    expect(
      tableStatements("create table proj_a (a, b); create unique index by_b on proj_a (b);", "tbl_1"),
    ).toEqual(['create table "tbl_1" (a, b)', 'create unique index "tbl_1_1" on "tbl_1" (b)']);
  });

  it.each([
    [
      "create table proj_a (a)",
      "insert into proj_a (b) values (1)",
      /event_handlers\.e: .*no column named b/,
    ],
    ["create table proj_a (a", "delete from proj_a", /table_sql: /],
    [
      "create table proj_a (a integer primary key autoincrement)",
      "delete from proj_a",
      /not authorized|prohibited/,
    ],
    [
      "create table proj_a (a check (random() > 1))",
      "insert into proj_a values (1)",
      /random|prohibited|authorized/,
    ],
    ["create table proj_a (a)", "delete from proj_a where a like '%x%'", /like/],
    ["create table proj_a (a)", "insert into proj_a (a) values (1), (2)", /authorized/],
  ])("are tried where nothing but their table is: %s; %s", (tableSql, handler, message) => {
    expect(() => checkDefinition({ tableSql, handlers: { e: handler } })).toThrow(message);
  });
});

it.each([
  "delete from runs",
  "update api_keys set hash = 'x'",
  "insert into proj_a (a) select id from runs",
  "insert into proj_a (a) values ((select hash from api_keys))",
  "insert or rollback into proj_a (a) values (1)",
  "update proj_a set a = b.a from proj_a as b",
  "insert into proj_a (a) values (randomblob(1000000000))",
  "insert into proj_a (a) values (printf('%1000000000d', 1))",
  "insert into proj_a (a) values (load_extension('x'))",
  "insert into proj_a (a) values (?)",
  "insert into proj_a (a) values (:secret)",
  "insert into main.proj_a_x (a) values (1)",
  "insert into sqlite_schema (name) values ('x')",
  "drop table proj_a",
  "insert into proj_a (a) values (1); vacuum",
  "pragma user_version = 9",
  "not sql",
  "",
])("no handler may be: %s", (handler) => {
  expect(() => checkDefinition({ tableSql: "create table proj_a (a)", handlers: { e: handler } })).toThrow(
    /event_handlers.e: /,
  );
});

it.each([
  "create table orders (a)",
  "create table proj_a as select * from runs",
  "create temp table proj_a (a)",
  "create table proj_a (a); drop table runs",
  "create table proj_a (a); create trigger x after insert on proj_a begin delete from runs; end",
  "create table proj_a (a references runs (id))",
  "create table proj_a (a, b default (randomblob(9)))",
  "create virtual table proj_a using fts5(a)",
  "attach 'x' as y",
  "",
])("no table may be: %s", (tableSql) => {
  expect(() => checkDefinition({ tableSql, handlers: { e: "insert into proj_a (a) values (1)" } })).toThrow(
    /table_sql: |event_handlers.e: /,
  );
});

it("values keep their digits and their kind", () => {
  const event = {
    seq: 7,
    id: "evt_1",
    environment_id: ENV,
    name: "e",
    data: '{"big":9007199254740993,"huge":1e400,"real":1.5,"whole":2,"yes":true,"none":null,"list":[1,{"a":"b"}],"text":"x","deep":{"a":{"b":3}}}',
    metadata: '{"trace":"t"}',
    source: "api",
    version: 1,
    idempotency_key: null,
    run_id: null,
    timestamp: 0,
    entity_id: "o-1",
    entity_type: "order",
    entity_version: 3,
  };
  const value = valuesOf(event);
  const wanted = {
    "data.big": 9_007_199_254_740_993n,
    "data.huge": Number.POSITIVE_INFINITY,
    "data.real": 1.5,
    "data.whole": 2n,
    "data.yes": 1n,
    "data.none": null,
    "data.missing.path": null,
    "data.list": '[1,{"a":"b"}]',
    "data.deep.a.b": 3n,
    "data.text": "x",
    "metadata.trace": "t",
    entity_id: "o-1",
    entity_version: 3n,
    timestamp: "1970-01-01T00:00:00.000Z",
    seq: 7n,
  };
  expect(Object.fromEntries(Object.keys(wanted).map((name) => [name, value(name)]))).toEqual(wanted);
});

describe("a SQL projection", () => {
  let engine: Harness;

  afterEach(() => engine.stop());

  const name = "totals";
  const row = () => engine.core.store.projections.get(ENV, name);
  const tables = () =>
    engine.core.store.db
      .prepare<{ name: string }>("select name from sqlite_schema where type = 'table' and name like 'tbl_%'")
      .all();

  async function start(handler: string): Promise<void> {
    engine = await createHarness();
    await engine.change((tx) => define(tx, handler));
  }
  const define = (tx: Parameters<Parameters<Harness["change"]>[0]>[0], handler: string) =>
    registerSqlProjection(engine.core, tx, {
      environmentId: ENV,
      name,
      tableSql: "create table proj_totals (k text primary key, n integer not null check (n < 10))",
      handlers: { add: handler },
      events: [],
      description: "",
    });
  const rows = () =>
    engine.core.store.db
      .prepare<{ k: string; n: number }>(`select * from "${row()?.physical_table ?? ""}" order by k`)
      .all();
  const upToDate = () =>
    engine.until("it to be up to date", () => row()?.cursor_seq === engine.core.store.eventScanner.headSeq());

  it("applies all statements of an event or none, stops before the one that fails, and goes on when resumed", async () => {
    await start(
      "insert into proj_totals values (:data.k, :data.n); update proj_totals set n = n + 5 where k = :data.k",
    );
    await engine.emit("add", { k: "a", n: 1 });
    const bad = await engine.emit("add", { k: "b", n: 7 });
    await engine.emit("add", { k: "c", n: 2 });
    await engine.until("it to stop", () => row()?.status === "error");
    expect(rows()).toEqual([{ k: "a", n: 6 }]);
    expect(row()?.error_message).toMatch(new RegExp(`${bad.eventId}.*CHECK`));
    await engine.change((tx) => resumeProjection(engine.core, tx, ENV, name));
    await engine.until("it to stop again", () => row()?.status === "error");
    const letters = engine.core.store.deadLetters.list(
      { environmentId: ENV, source: "sql_apply" },
      { limit: 10, offset: 0 },
    );
    expect(letters.total).toBe(1);
    await engine.change((tx) => define(tx, "insert into proj_totals values (:data.k, :data.n)"));
    await upToDate();
    expect(rows()).toEqual([
      { k: "a", n: 6 },
      { k: "b", n: 7 },
      { k: "c", n: 2 },
    ]);
  });

  it("fails on a text that doubles with every event long before the memory ends", async () => {
    await start("insert into proj_totals values (:data.k, 1)");
    await engine.emit("add", { k: "x".repeat(1_000) });
    await upToDate();
    await engine.change((tx) => define(tx, "update proj_totals set k = k || k"));
    for (let n = 0; n < 30; n += 1) await engine.emit("add");
    await engine.until("it to stop", () => row()?.status === "error");
    expect(row()?.error_message).toMatch(/too big/);
    const { longest } = engine.core.store.db
      .prepare<{ longest: number }>(`select max(length(k)) as longest from "${row()?.physical_table ?? ""}"`)
      .get() ?? { longest: 0 };
    expect(longest).toBeLessThan(64 * 1024 * 1024);
  }, 30_000);

  it("keeps its table when a rebuild fails, and says why", async () => {
    await start(
      "insert into proj_totals values (:data.k, :data.n) on conflict (k) do update set n = excluded.n",
    );
    await engine.emit("add", { k: "a", n: 1 });
    await upToDate();
    // What was applied with other handlers: the replay meets it for the first time.
    const { db } = engine.core.store;
    await engine.change(() => db.exec('update events set data = \'{"k":"a","n":99}\''));
    const request = {
      environmentId: ENV,
      name,
      partition: "",
      fromEventId: "",
      toEventId: "",
      dryRun: false,
    };
    await rebuildProjection(engine.core, request);
    await engine.until("the rebuild to end", () => row()?.rebuild_id === null);
    expect(engine.core.store.rebuilds.latest(ENV, name)).toMatchObject({
      status: "failed",
      error: expect.stringMatching("CHECK") as unknown,
    });
    expect({ rows: rows(), status: row()?.status }).toEqual({ rows: [{ k: "a", n: 1 }], status: "active" });
    await engine.until("the failed table to go", () => tables().length === 1);
  });

  it("leaves no table behind when it is deleted", async () => {
    await start("insert into proj_totals values (:data.k, 1) on conflict do nothing");
    for (let n = 0; n < 1_200; n += 1) await engine.emit("add", { k: `k${n}` });
    await upToDate();
    expect(rows()).toHaveLength(1_200);
    await engine.change((tx) => unregisterProjection(engine.core, tx, ENV, name));
    await engine.until("its table to go", () => tables().length === 0);
    expect(engine.core.store.projections.garbage()).toBeUndefined();
  });
});
