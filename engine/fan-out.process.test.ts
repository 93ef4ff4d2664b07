import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";

const functions = 500;

let factory: EngineFactory;

beforeAll(async () => {
  factory = await createEngineFactory();
});

afterAll(() => factory.close());

const name = (n: number) => `fn-${String(n).padStart(3, "0")}`;

const countRuns = async (engine: EngineProcess) =>
  Number((await engine.rest("/api/v1/runs?limit=1")).body["total_count"]);

/** What the engine has on disk, read while nobody has it open. */
function onDisk<T>(engine: EngineProcess, sql: string): T[] {
  const db = new DatabaseSync(join(engine.dataDir, "engine.db"));
  try {
    expect(Object.values(db.prepare("pragma integrity_check").get() as object)).toEqual(["ok"]);
    return db.prepare(sql).all() as T[];
  } finally {
    db.close();
  }
}

it("[2.3] gives every function one run of each event, wherever it is killed while 500 are started, and the key answers all of them", async () => {
  let engine = await factory.start();
  for (let n = 0; n < functions; n += 1) {
    // Nobody takes them: what counts is that each is there once.
    await engine.ask("RegisterFunction", {
      id: name(n),
      triggers: [{ event: "go" }],
      preferredMode: "EXECUTION_MODE_PULL",
    });
  }
  const keys: string[] = [];
  let interrupted = 0;
  // The moments are arbitrary on purpose, and there are more of them until one was in the middle of the routing.
  const moments = [0, 10, 30, 80];
  for (let round = 0; round < moments.length || (interrupted === 0 && round < 20); round += 1) {
    const fresh = [1, 2, 3].map((n) => `key-${round}-${n}`);
    const before = await countRuns(engine);
    // All that are known come again while others are being routed.
    const emits = [...keys, ...fresh, ...fresh].map((key) =>
      engine.connect("Emit", { event: "go", data: {}, idempotencyKey: key }).catch(() => undefined),
    );
    keys.push(...fresh);
    await poll("the first runs", async () => (await countRuns(engine)) > before);
    await sleep(moments[round] ?? 0);
    await engine.end("SIGKILL");
    await Promise.all(emits);
    if (onDisk(engine, "select seq from routing_slices").length > 0) interrupted += 1;
    engine = await factory.start({ dataDir: engine.dataDir });
  }
  expect(interrupted, "kills in the middle of the routing").toBeGreaterThan(0);
  const answers: string[][] = [];
  for (const key of keys) {
    const answer = await engine.ask("Emit", { event: "go", data: {}, idempotencyKey: key });
    answers.push(answer["runIds"] as string[]);
  }
  await engine.end("SIGTERM");
  expect(onDisk(engine, "select seq from routing_slices")).toEqual([]);
  const runs = onDisk<{ id: string; event_id: string; function_id: string }>(
    engine,
    "select id, event_id, function_id from runs order by seq",
  );
  const events = new Set(runs.map((run) => run.event_id));
  expect(events.size).toBe(keys.length);
  const expected = Array.from({ length: functions }, (_, n) => name(n));
  for (const event of events) {
    const started = runs.filter((run) => run.event_id === event).map((run) => run.function_id);
    expect(started.toSorted(), `runs of ${event}`).toEqual(expected);
  }
  expect(answers.map((ids) => ids.length)).toEqual(keys.map(() => functions));
  expect(new Set(answers.flat())).toEqual(new Set(runs.map((run) => run.id)));
}, 240_000);
