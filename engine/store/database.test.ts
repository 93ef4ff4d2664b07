import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDatabase } from "./database.ts";
import { migrate } from "./migrations.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "database-"));
  file = join(folder, "engine.db");
});

afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

it("has every acknowledged commit on disk: WAL, synchronous FULL, foreign keys on", () => {
  const db = openDatabase(file);
  const pragma = (name: string) =>
    Object.values(db.prepare<Record<string, unknown>>(`pragma ${name}`).get() ?? {})[0];
  expect(pragma("journal_mode")).toBe("wal");
  expect(pragma("synchronous")).toBe(2);
  expect(pragma("foreign_keys")).toBe(1);
  expect(pragma("busy_timeout")).toBe(5_000);
  db.close();
});

it("runs only the migrations that are missing, and leaves no half of one", () => {
  const db = new DatabaseSync(":memory:");
  const version = () => (db.prepare("pragma user_version").get() as { user_version: number }).user_version;
  const first = "create table a (n)";
  migrate(db, [first]);
  expect(version()).toBe(1);
  expect(() => migrate(db, [first, "create table b (n); create table a (n)"])).toThrow(/already exists/);
  expect(version()).toBe(1);
  migrate(db, [first, "create table b (n)"]);
  expect(version()).toBe(2);
  db.close();
});

it("refuses a database of a newer engine", () => {
  const raw = new DatabaseSync(file);
  raw.exec("pragma user_version = 999");
  raw.close();
  expect(() => openDatabase(file)).toThrow(/newer engine/);
});

it("empties its log when nobody reads, and waits for no reader", () => {
  const db = openDatabase(file);
  db.exec("create table t (n)");
  const reader = new DatabaseSync(file, { readOnly: true });
  const rows = reader.prepare("select 1 from sqlite_schema").iterate();
  rows.next();
  db.exec("insert into t values (1)");
  const from = performance.now();
  expect(db.emptyLog()).toBe(false);
  // It would have waited for the 5 s of the busy timeout.
  expect(performance.now() - from).toBeLessThan(4_500);
  rows.return?.();
  expect(db.emptyLog()).toBe(true);
  expect(statSync(`${file}-wal`).size).toBe(0);
  expect(Object.values(db.prepare<object>("pragma busy_timeout").get() ?? {})).toEqual([5_000]);
  reader.close();
  db.close();
});
