import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { SqlAnswer } from "./contract/sql.ts";
import { sqlAttempts } from "./sql/attempts.ts";
import { SQL_TABLES } from "./sql/tables.ts";
import { parsePrometheus } from "./testing/prometheus.ts";
import {
  createEngineFactory,
  type Answer,
  type EngineFactory,
  type EngineProcess,
} from "./testing/engine-process.ts";

let factory: EngineFactory;
let engine: EngineProcess;

beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start();
  await engine.ask("RegisterFunction", {
    id: "f",
    triggers: [{ event: "go" }],
    endpointUrl: "http://127.0.0.1:9/",
  });
  for (let n = 0; n < 3; n += 1) await engine.ask("Emit", { event: "go", data: { n } });
});

afterAll(() => factory.close());

const sql = (query: string, more: object = {}): Promise<Answer> =>
  engine.rest("/api/v1/sql", { query, ...more });

async function rows(query: string, more: object = {}) {
  const { status, body } = await sql(query, more);
  expect({ status, body }).toMatchObject({ status: 200 });
  return SqlAnswer.parse(body);
}

/** Everything the store holds, without what goes on by itself. */
function contents(): unknown {
  const db = new DatabaseSync(join(engine.dataDir, "engine.db"), { readOnly: true });
  try {
    expect(Object.values(db.prepare("pragma integrity_check").get() as object)).toEqual(["ok"]);
    const all = (text: string) => db.prepare(text).all();
    return [
      all("select sql from sqlite_schema order by name"),
      all("select id, data from events order by seq"),
      all("select * from api_keys order by hash"),
      all("select * from functions"),
    ];
  } finally {
    db.close();
  }
}

/** Child processes of the engine that run queries of the default environment, by what Linux says. */
function sqlProcesses(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const ppid = Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return ppid === parent && /engine-sql\.cjs[^]*--environment=env_default/.test(command);
      } catch {
        return false; // it has just gone
      }
    });
}

const isRunning = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

const endless = "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r";

describe("SQL", () => {
  it("reads the documented tables in both eras", async () => {
    const rest = await rows("select name, json_extract(data, '$.n') as n from events order by n");
    expect(rest).toMatchObject({
      columns: ["name", "n"],
      rows: [
        ["go", "0"],
        ["go", "1"],
        ["go", "2"],
      ],
      typed_rows: [
        ["go", 0],
        ["go", 1],
        ["go", 2],
      ],
      total_rows: 3,
      truncated: false,
    });
    const connect = await fetch(`${engine.url}/ironflow.v1.QueryService/ExecuteSQL`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "select id, version from functions", maxRows: 5, timeout_ms: 1000 }),
    });
    expect(await connect.json()).toMatchObject({
      columns: ["id", "version"],
      rows: [{ values: ["f", "1"], typedValues: ["f", 1] }],
      totalRows: 1,
    });
    expect((await rows("select count(*) from runs join steps on steps.run_id = runs.id")).total_rows).toBe(1);
  });

  it("tells NULL, exact integers, reals and bytes apart", async () => {
    const { status, body } = await sql("select null, 9223372036854775807, 2.0, x'00ff', 9e999, ''");
    expect(status).toBe(200);
    expect(body["rows"]).toEqual([["", "9223372036854775807", "2.0", "AP8=", "Infinity", ""]]);
    expect(JSON.stringify(body["typed_rows"])).toBe('[[null,9223372036854776000,2,"AP8=","Infinity",""]]');
    const raw = await fetch(`${engine.url}/api/v1/sql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "select 9223372036854775807" }),
    });
    expect(await raw.text()).toContain('"typed_rows":[[9223372036854775807]]');
  });

  it("says when it stopped before the end, at the wanted rows and at 4 MiB", async () => {
    const many = "with recursive r(n) as (select 1 union all select n + 1 from r) select n from r";
    const few = await rows(many, { max_rows: 2 });
    expect(few).toMatchObject({ rows: [["1"], ["2"]], total_rows: 2, truncated: true, truncated_by: "rows" });
    expect((await rows(many)).total_rows).toBe(1000);
    const wide = await rows(
      "with recursive r(n) as (select 1 union all select n + 1 from r) select hex(zeroblob(500000)) from r",
    );
    expect(wide).toMatchObject({ total_rows: 2, truncated: true, truncated_by: "bytes" });
    expect((await rows("select 1", { max_rows: 1 })).truncated).toBe(false);
  });

  it("shows the rows of the caller's environment alone", async () => {
    await engine.rest("/api/v1/environments", { name: "other" });
    const ask = async (query: string) => {
      const response = await fetch(`${engine.url}/api/v1/sql`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-ironflow-environment": "other" },
        body: JSON.stringify({ query }),
      });
      return ((await response.json()) as { rows: string[][] }).rows;
    };
    for (const { name } of SQL_TABLES) {
      const foreign = await ask(`select count(*) from ${name} where environment_id <> 'env_other'`);
      expect([name, foreign]).toEqual([name, [["0"]]]);
    }
    expect(await ask("select count(*) from events")).toEqual([["0"]]);
    // A name of its own for what is asked does not lead past the view.
    expect(await ask("with audit as (select * from events) select count(*) from audit")).toEqual([["0"]]);
    expect((await rows("select distinct environment_id from events")).rows).toEqual([["env_default"]]);
    expect(
      (await rows("select environment_id from audit where environment_id <> 'env_default'")).rows,
    ).toEqual([]);
  });

  it("names the field of a bad request", async () => {
    for (const [body, text] of [
      [{ query: "" }, /query: is required/],
      [{}, /query/],
      [{ query: "select 1", timeout_ms: 30_001 }, /timeout_ms/],
      [{ query: "select 1", max_rows: 10_001 }, /max_rows/],
      [{ query: "select 1", more: 1 }, /more/],
      [{ query: "select '\u0000'" }, /query: must have no control character/],
    ] as const) {
      const answer = await engine.rest("/api/v1/sql", body);
      expect([body, answer.status]).toEqual([body, 400]);
      expect(answer.body["error"]).toMatch(text);
    }
  });
});

it("refuses 200 attempts to write, attach, read files or run for ever, and nothing has changed", async () => {
  const attempts = sqlAttempts();
  expect(new Set(attempts.map((attempt) => attempt.sql)).size).toBe(attempts.length);
  expect(attempts.length).toBeGreaterThanOrEqual(200);
  const before = contents();
  const files = readdirSync(engine.dataDir);
  const passed: unknown[] = [];
  for (const attempt of attempts) {
    // What runs for ever is cut off soon; what is refused has all the time for that.
    const endsItself = !attempt.codes.includes("deadline_exceeded");
    const { status, body } = await sql(attempt.sql, { timeout_ms: endsItself ? 30_000 : 300 });
    if (status < 400 || !attempt.codes.includes(String(body["code"])))
      passed.push([attempt.sql, status, body]);
  }
  expect(passed).toEqual([]);
  expect(contents()).toEqual(before);
  expect(readdirSync(engine.dataDir)).toEqual(files);
  // And it still answers who asks for what is his.
  expect((await rows("select count(*) from events")).rows).toEqual([["3"]]);
});

it("keeps the name of the store to itself", async () => {
  for (const query of [
    "select * from api_keys",
    "select nope from runs",
    "select * from runs where nope",
    "select runs.nope from runs",
    "select * from runs join steps using (nope)",
    "select * from main.runs",
  ]) {
    const { body } = await sql(query);
    expect(`${query}: ${JSON.stringify(body)}`).not.toMatch(/s[0-9a-f]{32}/);
  }
});

describe("the process that runs a query", () => {
  const askEndless = (signal: AbortSignal) =>
    fetch(`${engine.url}/api/v1/sql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: endless, timeout_ms: 30_000 }),
      signal,
    });

  it("is gone when the time limit is over", async () => {
    const asked = sql(endless, { timeout_ms: 500 });
    // An idle one of before may be there too: the query has one of those that are seen now.
    const seen = await poll("the process", () => {
      const pids = sqlProcesses(engine.pid);
      return pids.length > 0 && pids;
    });
    const answer = await asked;
    expect(answer).toMatchObject({ status: 504, body: { code: "deadline_exceeded" } });
    expect(answer.body["error"]).toBe("the query took over 500 ms and was ended");
    await poll("one of them to be gone", () => seen.some((pid) => !isRunning(pid)));
  });

  it("is gone when the caller goes away", async () => {
    const caller = new AbortController();
    const asked = askEndless(caller.signal);
    await poll("the query to run", async () => (await running(engine)) === 1);
    const seen = sqlProcesses(engine.pid);
    caller.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    await poll("its process to be gone", () => seen.some((pid) => !isRunning(pid)));
    await poll("no query to run", async () => (await running(engine)) === 0);
  });

  it("gives way to others on a busy processor", async () => {
    const caller = new AbortController();
    const asked = askEndless(caller.signal);
    const values = await poll("a thread of lower priority", () =>
      sqlProcesses(engine.pid)
        .map(niceValues)
        .find((nice) => nice.includes(10)),
    );
    // The one that watches is none of them.
    expect(values).toContain(0);
    caller.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    await poll("no query to run", async () => (await running(engine)) === 0);
  });

  it("ends a query that wants more memory than there is for it", async () => {
    const answer = await sql(
      "with recursive r(n) as (select 1 union all select n + 1 from r) select hex(randomblob(500000)) as t from r order by t",
      { timeout_ms: 30_000 },
    );
    expect(answer).toMatchObject({ status: 429, body: { code: "resource_exhausted" } });
    expect((await rows("select 1")).rows).toEqual([["1"]]);
  });

  it("is at most one of two; the others wait, and beyond 32 are refused", async () => {
    const heavy = [1, 2].map(() => sql(endless, { timeout_ms: 10_000 }));
    await poll("two queries that run", async () => (await running(engine)) === 2);
    const asked = Array.from({ length: 38 }, () => sql("select 1", { timeout_ms: 30_000 }));
    expect(sqlProcesses(engine.pid).length).toBeLessThanOrEqual(2);
    const statuses = async (answers: Promise<Answer>[]) =>
      (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(await statuses(heavy)).toEqual([504, 504]);
    expect(await statuses(asked)).toEqual([...Array<number>(32).fill(200), ...Array<number>(6).fill(429)]);
  });

  it("dies with an engine that is killed, and with one that is asked to stop", async () => {
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const other = await factory.start();
      const asked = other.rest("/api/v1/sql", { query: endless, timeout_ms: 30_000 }).catch(() => undefined);
      await poll("the query to run", async () => (await running(other)) === 1);
      const pid = await poll("its process", () => sqlProcesses(other.pid)[0]);
      await other.end(signal);
      await poll("the process to be gone", () => !isRunning(pid));
      await asked;
      expect(isRunning(pid)).toBe(false);
    }
  });
});

/** How many queries an engine says are running. */
async function running({ url }: EngineProcess): Promise<number> {
  const samples = parsePrometheus(await (await fetch(`${url}/metrics`)).text());
  return samples.find(({ labels }) => labels["state"] === "running")?.value ?? 0;
}

/** The nice values of a process's threads. */
function niceValues(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const fields =
        readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return Number(fields[16]);
    });
  } catch {
    return []; // a thread has just gone
  }
}

it("answers on an engine whose folder was named from where it was started", async () => {
  const dataDir = relative(process.cwd(), await factory.newDataDir());
  const other = await factory.start({ dataDir });
  const { status, body } = await other.rest("/api/v1/sql", { query: "select 1 as n" });
  expect({ status, body }).toMatchObject({ status: 200, body: { columns: ["n"], rows: [["1"]] } });
  await other.end("SIGTERM");
});
