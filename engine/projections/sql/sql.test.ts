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
        uses: [2],
      },
      { sql: 'update "tbl_1" set a=a- -1 where "tbl_1".b = ?1', placeholders: ["entity_id"], uses: [1] },
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
  // More than was put in, or the product of two lengths.
  "hex(:data.x)",
  '"hex"(:data.x)',
  "replace(:data.x, 'a', 'bb')",
  "format('%9d', 1)",
  "quote(:data.x)",
  "char(65)",
  "zeroblob(9)",
  "group_concat(:data.x)",
  "instr(:data.x, :data.y)",
  "json_patch('{}', '{}')",
  "trim(:data.x, :data.y)",
  '"ltrim" (concat(:data.x), :data.y)',
  "rtrim(upper(:data.x),'a')",
  // Something else on the next day.
  "date('now')",
  "date()",
  "datetime(:data.x)",
  "time('now', 'subsec')",
  "julianday('now')",
  "unixepoch()",
  "strftime('%s', :data.x)",
  "timediff('now', :data.x)",
  "current_timestamp",
  "current_date",
  "current_time",
  "random()",
])("no handler may compute %s", (text) => {
  const handlers = { e: `update proj_a set a = ${text}` };
  expect(() => checkDefinition({ tableSql: "create table proj_a (a)", handlers })).toThrow(
    /event_handlers.e: .*(authorized|function|one argument)/,
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
  "create table proj_a (a, b generated always as (a || a) stored)",
  "create table proj_a (a, b as (a + a), c as (b + b))",
  "create table proj_a (a check (length(hex(a)) > 1))",
  "create table proj_a (a check (a > date('now')))",
  "create table proj_a (a); create index by_a on proj_a (hex(a))",
  "",
])("no table may be: %s", (tableSql) => {
  expect(() => checkDefinition({ tableSql, handlers: { e: "insert into proj_a (a) values (1)" } })).toThrow(
    /table_sql: |event_handlers.e: /,
  );
});

const sums = (count: number, of: number, sign: string): string[] =>
  Array<string>(count).fill(Array(of).fill(":data.x").join(` ${sign} `));
/** The same expressions in a handler, and in the checks of a table. */
const checks = (texts: readonly string[]): (() => unknown)[] => {
  const columns = texts.map((_, at) => `c${at}`).join();
  const tableSql = `create table proj_a (${columns})`;
  const sets = texts.map((text, at) => `c${at} = ${text}`).join();
  const checked = texts.map((text) => `check (${text.replaceAll(":data.x", "c0")} = 1)`).join();
  return [
    { tableSql, handlers: { e: `update proj_a set ${sets}` } },
    { tableSql: `create table proj_a (${columns}, ${checked})`, handlers: { e: "delete from proj_a" } },
  ].map((definition) => () => checkDefinition(definition));
};

it.each([
  [sums(20, 12, "+"), /more than 200 functions and operators/],
  [sums(20, 7, "||"), /more than 200 functions and operators/],
  [Array<string>(21).fill("json_type(:data.x)"), /more than 20 functions and operators of JSON/],
  [Array<string>(21).fill(":data.x ->> 'a'"), /more than 20 functions and operators of JSON/],
  [[`:data.x in (${Array(1_000).fill("1").join()})`], /more than 2000 words and signs/],
  [[`concat(${Array(21).fill(":data.x").join()})`], /too many arguments/],
] as const)("a handler or a table computes a bounded number of things (%#)", (texts, message) => {
  for (const check of checks(texts)) expect(check).toThrow(message);
});

it.each([
  [sums(18, 11, "+")],
  [sums(18, 6, "||")],
  [Array<string>(20).fill("json_type(:data.x)")],
  [["trim(:data.x)", "length(json_object('a', 1))"]],
])("a handler or a table may compute as much as this (%#)", (texts) => {
  for (const check of checks(texts)) expect(check).not.toThrow();
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

  it("fails on a text that doubles with every event long before the memory does", async () => {
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
    expect(longest).toBeLessThanOrEqual(1_000_000);
  });

  it("is given no value, and makes none, of more than a megabyte", async () => {
    await start("insert into proj_totals values (:data.k, length(:data.x || :data.x || :data.x) - 1199999)");
    await engine.emit("add", { k: "a", x: "x".repeat(300_000) });
    await engine.until("it to be done", () => row()?.cursor_seq !== 0 || row()?.status === "error");
    expect(rows()).toEqual([{ k: "a", n: -299_999 }]);
    for (const [x, message] of [
      ["x".repeat(400_000), /too big/],
      ["x".repeat(1_000_001), /have 1000017 bytes; a SQL projection takes 1000000 at most/],
    ] as const) {
      const { eventId } = await engine.emit("add", { k: "b", x });
      await engine.until("it to stop", () => row()?.status === "error");
      expect(row()?.error_message).toMatch(message);
      expect(engine.core.store.deadLetters.has("sql_apply", `projection:${name}`, eventId)).toBe(true);
      const skip = "insert into proj_totals values (:seq, 1)";
      await engine.change((tx) => define(tx, skip));
      await upToDate();
      await engine.change((tx) =>
        define(tx, "insert into proj_totals values (:data.k, length(:data.x || :data.x || :data.x))"),
      );
    }
  });

  it("is not given the same large value over and over", async () => {
    await start(`update proj_totals set k = 'a' where k in (${Array(20).fill(":data.x").join()})`);
    await engine.emit("add", { x: "x".repeat(300_000) });
    await engine.until("it to stop", () => row()?.status === "error");
    expect(row()?.error_message).toMatch(/placeholders stand for 6000000 bytes/);
  });

  it("that was registered under other rules is stopped, not run", async () => {
    await start("insert into proj_totals values (:data.k, 1)");
    await upToDate();
    const before = row();
    if (before === undefined) throw new Error("no projection");
    const handlers = JSON.stringify({ add: "insert into proj_totals values (hex(:data.k), 1)" });
    await engine.change(() => engine.core.store.projections.put({ ...before, handlers }));
    await engine.emit("add", { k: "a" });
    await engine.until("it to stop", () => row()?.status === "error");
    expect(row()?.error_message).toMatch(/hex/);
    expect(rows()).toEqual([]);
  });

  it("whose error takes the whole transaction back stops alone: what others wrote is kept, and it is not tried again", async () => {
    await start("insert into proj_totals values (:data.k, 1)");
    await upToDate();
    engine.core.store.db.exec(
      `create trigger lose before insert on "${row()?.physical_table ?? ""}" when new.k = 'bad' begin select raise(rollback, 'lost'); end`,
    );
    await engine.emit("add", { k: "a" });
    const [, bad, ...others] = await Promise.all(
      ["b", "bad", "c", "d"].map((k) => engine.emit("add", { k })),
    );
    let tried = 0;
    // Others write all the time.
    while (row()?.status !== "error" && tried < 200) {
      tried += 1;
      others.push(await engine.emit("other", { tried }));
    }
    expect(row()).toMatchObject({ status: "error", error_message: `event ${bad?.eventId ?? ""}: lost` });
    expect(rows().map(({ k }) => k)).toEqual(["a", "b"]);
    expect(engine.core.store.deadLetters.has("sql_apply", `projection:${name}`, bad?.eventId ?? "")).toBe(
      true,
    );
    for (const { eventId } of others) expect(engine.core.store.events.get(ENV, eventId)).toBeDefined();
    const updatedAt = row()?.updated_at;
    engine.clock.advance(60_000);
    await engine.settle();
    expect(row()).toMatchObject({ status: "error", updated_at: updatedAt });
  });

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

  it("keeps its table when a rebuild loses the whole transaction, and does not try it again", async () => {
    await start("insert into proj_totals values (:data.k, 1)");
    await engine.emit("add", { k: "a" });
    const bad = await engine.emit("add", { k: "bad" });
    await upToDate();
    const job = await rebuildProjection(engine.core, {
      environmentId: ENV,
      name,
      partition: "",
      fromEventId: "",
      toEventId: "",
      dryRun: false,
    });
    const built = "physical_table" in job ? job.physical_table : null;
    engine.core.store.db.exec(
      `create trigger lose before insert on "${built ?? ""}" when new.k = 'bad' begin select raise(rollback, 'lost'); end`,
    );
    await engine.until("the rebuild to end", () => row()?.rebuild_id === null);
    expect(engine.core.store.rebuilds.latest(ENV, name)).toMatchObject({
      status: "failed",
      error: `event ${bad.eventId}: lost`,
    });
    expect(rows().map(({ k }) => k)).toEqual(["a", "bad"]);
    expect(row()?.status).toBe("active");
  });

  it("leaves no table behind when it is deleted", async () => {
    await start("insert into proj_totals values (:data.k, 1) on conflict do nothing");
    await Promise.all(Array.from({ length: 1_200 }, (_, n) => engine.emit("add", { k: `k${n}` })));
    await upToDate();
    expect(rows()).toHaveLength(1_200);
    await engine.change((tx) => unregisterProjection(engine.core, tx, ENV, name));
    await engine.until("its table to go", () => tables().length === 0);
    expect(engine.core.store.projections.garbage()).toBeUndefined();
  });
});
