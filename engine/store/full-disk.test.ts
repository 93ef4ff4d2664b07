import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toProblem } from "../http/problem.ts";
import { completed, createHarness, type Harness } from "../testing/harness.ts";

let engine: Harness;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "full-disk-"));
  engine = await createHarness({ file: join(folder, "engine.db") });
});

afterEach(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const count = (table: string) =>
  engine.core.store.db.prepare<{ n: number }>(`select count(*) as n from ${table}`).get()?.n;

it("refuses what a full disk cannot hold, keeps what was acknowledged, and goes on once there is room", async () => {
  const { db } = engine.core.store;
  await engine.define("f", () => completed(), { triggers: [{ event: "go" }] });
  const pages = db.prepare<{ page_count: number }>("pragma page_count").get()?.page_count ?? 0;
  // SQLite answers "full" exactly as it does when the file system has no block left.
  db.exec(`pragma max_page_count = ${pages + 20}`);
  let acknowledged = 0;
  let refusal: unknown;
  for (let n = 0; refusal === undefined; n += 1) {
    try {
      await engine.emit("go", { n, padding: "x".repeat(8_000) });
      acknowledged += 1;
    } catch (error) {
      refusal = error;
    }
  }
  expect(toProblem(refusal)).toMatchObject({
    code: "failed_precondition",
    message: "the engine's disk is full",
  });
  expect(acknowledged).toBeGreaterThan(0);
  expect([count("events"), count("runs")]).toEqual([acknowledged, acknowledged]);
  expect(Object.values(db.prepare<object>("pragma integrity_check").get() ?? {})).toEqual(["ok"]);

  db.exec(`pragma max_page_count = ${pages + 10_000}`);
  await engine.emit("go", { n: "room again" });
  // Results that could not be stored were kept in memory and are stored now.
  for (let n = 0; n < 10; n += 1) {
    await engine.settle();
    engine.clock.advance(500);
  }
  await engine.until(
    "all ends",
    () => engine.core.store.runs.count("env_default", ["completed"]) === acknowledged + 1,
  );
  expect(engine.calls).toHaveLength(acknowledged + 1);
});
