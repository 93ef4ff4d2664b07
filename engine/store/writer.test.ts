import { afterEach, beforeEach, expect, it } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { openDatabase, type Database } from "./database.ts";
import { createWriter, type Writer } from "./writer.ts";

let db: Database;
let writer: Writer;
let reported: unknown[];

beforeEach(() => {
  db = openDatabase(":memory:");
  db.exec("create table t (n integer primary key)");
  reported = [];
  writer = createWriter(db, createFakeClock(), (error) => reported.push(error));
});

afterEach(() => db.close());

const insert = (n: number) => () => db.prepare("insert into t values (?)").run(n);
const stored = () =>
  db
    .prepare<{ n: number }>("select n from t order by n")
    .all()
    .map(({ n }) => n);

it("commits what was handed in together, and a change that throws takes nothing else with it", async () => {
  const results = await Promise.allSettled([
    writer.write(insert(1)),
    writer.write(() => {
      insert(2)();
      throw new Error("no");
    }),
    writer.write(insert(1)),
    writer.write(insert(3)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(stored()).toEqual([1, 3]);
});

it("begins another commit when one has taken long, so that something else gets its turn", async () => {
  const clock = createFakeClock();
  const slow = createWriter(db, clock, (error) => reported.push(error));
  const log: string[] = [];
  const change = (n: number) =>
    slow.write((tx) => {
      insert(n)();
      clock.advance(30);
      tx.afterCommit(() => log.push(`committed ${n}`));
      setImmediate(() => log.push("something else"));
    });
  await Promise.all([change(1), change(2), change(3)]);
  expect(log.slice(0, 3)).toEqual(["committed 1", "committed 2", "something else"]);
  expect(stored()).toEqual([1, 2, 3]);
});

it("leaves the loop alone after a commit that took long, as long as something happens in its turns", async () => {
  const clock = createFakeClock();
  const slow = createWriter(db, clock, (error) => reported.push(error));
  const log: string[] = [];
  const callers = 10;
  const answers: Promise<void>[] = [];
  // One caller comes in each turn of the loop, and each of them makes a change that takes 30 ms.
  const connect = (n: number) => {
    clock.advance(1);
    log.push(`connected ${n}`);
    const change = slow.write((tx) => {
      clock.advance(30);
      tx.afterCommit(() => log.push(`committed ${n}`));
    });
    answers.push(change);
    if (n < callers) setImmediate(connect, n + 1);
  };
  connect(1);
  await answers[0];
  while (answers.length < callers) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(answers);
  expect(log.indexOf(`connected ${callers}`)).toBeLessThan(log.indexOf("committed 2"));
  await slow.close();
});

it("runs the others again when SQLite gives up the whole transaction at one of them", async () => {
  db.exec("create trigger lose before insert on t when new.n = 2 begin select raise(rollback, 'lost'); end");
  const log: string[] = [];
  const results = await Promise.allSettled([
    writer.write((tx) => {
      log.push("run");
      tx.onRollback(() => log.push("undone"));
      tx.afterCommit(() => log.push("committed"));
      insert(1)();
    }),
    writer.write(insert(2)),
    writer.write(insert(3)),
    writer.write(insert(2)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  expect(results[1]).toMatchObject({ reason: { message: expect.stringMatching("lost") as unknown } });
  expect(stored()).toEqual([1, 3]);
  expect(log).toEqual(["run", "undone", "run", "undone", "run", "committed"]);
});

it("runs tasks after the commit in order, and takes memory back newest first when a change is undone", async () => {
  const log: string[] = [];
  await writer.write((tx) => {
    tx.afterCommit(() => log.push(`committed ${stored().join()}`));
    tx.afterCommit(() => log.push("second"));
    tx.onRollback(() => log.push("never"));
    insert(1)();
  });
  const failing = writer.write((tx) => {
    tx.onRollback(() => log.push("undo a"));
    tx.onRollback(() => log.push("undo b"));
    tx.afterCommit(() => log.push("never"));
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(log).toEqual(["committed 1", "second", "undo b", "undo a"]);
});

it("tells everybody of a batch when its commit fails, and undoes all of it, newest first", async () => {
  db.exec("create table child (n integer references t (n) deferrable initially deferred)");
  const undone: number[] = [];
  const change = (n: number) =>
    writer.write((tx) => {
      tx.onRollback(() => undone.push(n));
      insert(n)();
      // Only the commit finds out that there is no such parent.
      if (n === 2) db.exec("insert into child values (99)");
    });
  const results = await Promise.allSettled([change(1), change(2), change(3)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect([stored(), undone]).toEqual([[], [3, 2, 1]]);
  await writer.write(insert(4));
  expect(stored()).toEqual([4]);
});

it("reports a task that throws after the commit, and goes on", async () => {
  const log: string[] = [];
  await writer.write((tx) => {
    tx.afterCommit(() => {
      throw new Error("task");
    });
    tx.afterCommit(() => log.push("next"));
  });
  expect([log, reported]).toMatchObject([["next"], [{ message: "task" }]]);
});

it("takes changes of more than one batch in order", async () => {
  await Promise.all(Array.from({ length: 700 }, (_, n) => writer.write(insert(n))));
  expect(stored()).toHaveLength(700);
});

it("finishes what was handed in before it closes, and refuses what comes later", async () => {
  const before = writer.write(insert(1));
  const closing = writer.close();
  await expect(writer.write(insert(2))).rejects.toThrow(/stopping/);
  await closing;
  await before;
  expect(stored()).toEqual([1]);
});
