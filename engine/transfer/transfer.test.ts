import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import { publish } from "../execute/publish.ts";
import { putEntry } from "../kv/entries.ts";
import { createBucket } from "../kv/buckets.ts";
import { appendEvent } from "../streams/append.ts";
import {
  createHarness,
  completed,
  down,
  ENV,
  isDone,
  step,
  yielded,
  type Harness,
} from "../testing/harness.ts";
import { exportEnvironment } from "./export.ts";
import { importEnvironment } from "./import.ts";
import { linesOf } from "./lines.ts";
import { LEFT_BEHIND, TRANSFER_TABLES } from "./tables.ts";

let folder: string;
let source: Harness;
const open: Harness[] = [];

async function harness(name: string): Promise<Harness> {
  const made = await createHarness({ file: join(folder, name) });
  open.push(made);
  return made;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "transfer-"));
  source = await harness("source.db");
});

afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function exported(engine: Harness): Promise<string> {
  let text = "";
  await exportEnvironment(engine.core.store.db, "default", 0, async (line) => {
    text += line;
  });
  return text;
}

const bring = (engine: Harness, text: string, keepRunning = true) =>
  importEnvironment(engine.core, linesOf(Readable.from([text.slice(0, 7), text.slice(7)])), { keepRunning });

/** Something in every table that travels. */
async function fill(engine: Harness): Promise<void> {
  await engine.define("child", () => completed({ big: 1 }), { triggers: [{ event: "never" }] });
  await engine.define("nightly", () => completed(), { triggers: [{ cron: "0 0 * * *" }] });
  await engine.define("slow", () => completed(), {
    triggers: [{ event: "slow" }],
    debounce: { periodMs: 60_000 },
  });
  await engine.define("broken", () => down("no route"), {
    triggers: [{ event: "go", expression: "data.n.m > 1" }, { event: "break" }],
  });
  await engine.define(
    "parent",
    (request) => {
      const { run_id: runId } = request;
      if (!isDone(request, "child"))
        return yielded(
          {
            step_id: `${runId}:child:0`,
            type: "invoke_function",
            function_id: "child",
            invoke_timeout_ms: 60_000,
          },
          [step(runId, "first", "é\u0000\ud83d\ude00")],
        );
      const filter = { event: "paid", timeout: "1d" };
      return yielded({ step_id: `${runId}:paid:0`, type: "wait_for_event", event_filter: filter });
    },
    { triggers: [{ event: "go" }] },
  );
  const [runId = ""] = (await engine.emit("go", { n: 1 }, "key")).runIds;
  await engine.until("the wait", () => engine.steps(runId).some(({ name }) => name === "paid"));
  await engine.emit("break");
  await engine.emit("slow");
  await engine.settle();
  await engine.change((tx) => {
    publish(engine.core, tx, { environmentId: ENV, topic: "t", data: toJsonText(1), runId });
    createBucket(engine.core, tx, ENV, { name: "b", history: 3 });
    putEntry(engine.core, tx, { environmentId: ENV, bucket: "b", key: "k" }, Buffer.from([0, 255]), {
      kind: "none",
    });
    appendEvent(engine.core, tx, {
      environmentId: ENV,
      entityId: "order-1",
      entityType: "order",
      name: "order.placed",
      data: toJsonText({ n: 1 }),
      expectedVersion: -1,
      version: 1,
    });
  });
  await engine.until("the deliveries", () => {
    engine.clock.advance(0);
    return engine.core.store.db.prepare("select 1 from outbox").get() === undefined;
  });
  engine.core.store.db.exec(
    `insert into outbox (id, environment_id, event_id, topic, kind, entity_id, attempts, last_error, created_at, dead_at)
     select 'out_1', environment_id, id, 'entity:order-1', 'entity', 'order-1', 10, 'broken', 1, 2
       from events where entity_id is not null`,
  );
}

it("knows every table of the store: it travels, or stays behind on purpose", () => {
  const tables = source.core.store.db
    .prepare<{ name: string }>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    .all()
    .map(({ name }) => name);
  expect([...TRANSFER_TABLES.map(({ name }) => name), ...LEFT_BEHIND].toSorted()).toEqual(tables.toSorted());
});

it("brings an environment to another engine, and what comes out of there is the same", async () => {
  await fill(source);
  const text = await exported(source);
  const end = JSON.parse(text.trim().split("\n").at(-1) ?? "") as { end: Record<string, number> };
  const empty = Object.entries(end.end).filter(([, count]) => count === 0);
  expect(empty.map(([table]) => table)).toEqual(["snapshots"]);
  const target = await harness("target.db");
  const imported = await bring(target, text);
  expect(imported.rows).toEqual(end.end);
  expect(await exported(target)).toBe(text);
});

it("gives counters anew beside another environment's rows, and what refers to them follows", async () => {
  await fill(source);
  const target = await harness("target.db");
  await target.change((tx) => {
    const other = target.core.store.environments.ensure("other", tx.nowMs);
    createBucket(target.core, tx, other.id, { name: "first" });
  });
  await bring(target, await exported(source));
  const bucket = target.core.store.kv.bucket(ENV, "b");
  expect(bucket?.id).toBe(2);
  expect(target.core.store.db.prepare("select key from kv_entries where bucket_id = 2").all()).toEqual([
    { key: "k" },
  ]);
});

it("holds what was under way, unless it is told that the other engine gave it up", async () => {
  await fill(source);
  const text = await exported(source);
  const target = await harness("target.db");
  const imported = await bring(target, text, false);
  expect(imported.heldRuns).toBeGreaterThan(0);
  expect(imported.pausedFunctions).toEqual(["nightly"]);
  const { db } = target.core.store;
  expect(
    db.prepare("select 1 from runs where ready_at is not null or status in ('running', 'waiting')").all(),
  ).toEqual([]);
  expect(db.prepare("select 1 from debounces").all()).toEqual([]);
});

it("refuses to export an environment of which an event has not reached everything", async () => {
  const event = { environment_id: ENV, event_id: "evt_1", outbox_seq: null, listeners: [], functions: ["a"] };
  await source.change(() => source.core.store.routingSlices.add(event));
  await expect(exported(source)).rejects.toThrow(/is still being routed: start its engine/);
});

it("refuses an environment that is not empty", async () => {
  await fill(source);
  const text = await exported(source);
  await expect(bring(source, text)).rejects.toThrow(
    /^line 1: environment: default is not empty, it has rows in functions/,
  );
});

it("refuses every damaged line by its number and field, and changes nothing", async () => {
  await fill(source);
  const lines = (await exported(source)).trimEnd().split("\n");
  const at = (table: string) => lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
  const swap = (index: number, from: string | RegExp, to: string) =>
    lines.map((line, n) => (n === index ? line.replace(from, to) : line));
  const target = await harness("target.db");
  const run = at("runs");
  const steps = at("steps");
  const entry = at("kv_entries");
  const cases: [string[], RegExp][] = [
    [swap(run, "{", "["), new RegExp(`^line ${run + 1}: is not JSON`)],
    [swap(run, '"status":"', '"statu":"'), new RegExp(`^line ${run + 1}: row.statu: is not known`)],
    [
      swap(run, /"attempt":\d+/, '"attempt":"1"'),
      new RegExp(`^line ${run + 1}: row.attempt: must be integer`),
    ],
    [swap(run, /"input":"\{/, '"input":"['), new RegExp(`^line ${run + 1}: row.input: must be JSON text`)],
    [swap(run, /"function_id":"[^"]*",/, ""), new RegExp(`^line ${run + 1}: row.function_id: is required`)],
    [
      swap(run, /"status":"\w+"/, '"status":"pending"'),
      new RegExp(`^line ${run + 1}: CHECK constraint failed: status`),
    ],
    [
      swap(run, '"env_default"', '"env_other"'),
      new RegExp(`^line ${run + 1}: row.environment_id: must be env_default`),
    ],
    [
      swap(run, '"table":"runs"', '"table":"api_keys"'),
      new RegExp(`^line ${run + 1}: table: api_keys is not known`),
    ],
    [
      swap(steps, /"run_id":"[^"]*"/, '"run_id":"run_x"'),
      new RegExp(`^line ${steps + 1}: row.run_id: there is no such row`),
    ],
    [
      swap(entry, /"bucket_id":\d+/, '"bucket_id":77'),
      new RegExp(`^line ${entry + 1}: row.bucket_id: there is no such row`),
    ],
    [swap(entry, /"\$base64":"/, '"$base64":"*'), new RegExp(`^line ${entry + 1}: row.value: must be blob`)],
    [swap(0, '"version":1', '"version":2'), /^line 1: version: /],
    [swap(0, /"schema":\d+/, '"schema":1'), /^line 1: schema: is 1, this engine has /],
    [[...lines.slice(0, run), ...lines.slice(run + 1)], /there is no such row|says \d+ rows, there were \d+/],
    [lines.slice(0, -1), new RegExp(`^line ${lines.length}: the end is missing`)],
    [[...lines, "{}"], new RegExp(`^line ${lines.length + 1}: nothing may follow the end`)],
    [swap(run, /"created_at":\d+/, '"created_at":1'), new RegExp(`^line ${lines.length}: sha256: `)],
    [[], /^line 1: is not JSON/],
  ];
  for (const [damaged, message] of cases) {
    await expect(bring(target, `${damaged.join("\n")}\n`)).rejects.toThrow(message);
    const left = TRANSFER_TABLES.filter(
      ({ name }) => target.core.store.db.prepare(`select 1 from ${name} limit 1`).get() !== undefined,
    );
    expect(left).toEqual([]);
  }
});

it("holds names of secrets, never a value", async () => {
  source.core.store.db.exec(
    `insert into secrets values ('env_default', 'TOKEN', 1, '', 'k', x'00', cast('the value' as blob), 0, 0)`,
  );
  const text = await exported(source);
  expect(text).toContain('{"secret":"TOKEN"}');
  expect(text).not.toMatch(/ciphertext|dGhlIHZhbHVl/);
  const target = await harness("target.db");
  expect((await bring(target, text)).secrets).toEqual(["TOKEN"]);
  expect(target.core.store.db.prepare("select 1 from secrets").all()).toEqual([]);
});
