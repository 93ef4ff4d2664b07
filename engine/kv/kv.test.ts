import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHarness, ENV, type Harness } from "../testing/harness.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { CreateKvBucketRequest } from "../contract/kv.ts";
import { createBucket, deleteBucket, findBucket } from "./buckets.ts";
import { deleteEntry, getEntry, putEntry, type KvCondition } from "./entries.ts";
import { listKeys } from "./keys.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

const make = (wanted: Partial<CreateKvBucketRequest> = {}) =>
  engine.change((tx) => createBucket(engine.core, tx, ENV, { name: "b", ...wanted }));
const at = (key: string) => ({ environmentId: ENV, bucket: "b", key });
const put = (key: string, text: string, condition: KvCondition = { kind: "none" }) =>
  engine.change((tx) => putEntry(engine.core, tx, at(key), Buffer.from(text), condition));
const remove = (key: string, purge = false, condition: KvCondition = { kind: "none" }) =>
  engine.change((tx) => deleteEntry(engine.core, tx, at(key), { purge, condition }));
const read = (key: string, revision?: number) =>
  Buffer.from(getEntry(engine.core, at(key), revision).value).toString("utf8");
const bucket = () => findBucket(engine.core, ENV, "b");
const keys = (filter?: string) => listKeys(engine.core, bucket(), filter).keys;
const stored = () =>
  engine.core.store.db.prepare<{ n: number }>("select count(*) as n from kv_entries").get()?.n;

describe("a key", () => {
  it("has revisions that count within its bucket and never come again", async () => {
    await make();
    expect([await put("x", "1"), await put("y", "2"), await put("x", "3")]).toEqual([1, 2, 3]);
    await remove("x", true);
    expect(await put("x", "5")).toBe(5);
    expect(read("x")).toBe("5");
  });

  it.each<[string, KvCondition, string]>([
    ["create of what is there", { kind: "absent" }, "already_exists"],
    ["an old revision", { kind: "revision", revision: 1 }, "aborted"],
    ["a revision that never was", { kind: "revision", revision: 99 }, "aborted"],
  ])("refuses %s and changes nothing", async (_what, condition, code) => {
    await make();
    await put("x", "1");
    await put("x", "2");
    await expect(put("x", "3", condition)).rejects.toMatchObject({ code });
    await expect(remove("x", false, condition)).rejects.toMatchObject({ code });
    expect(read("x")).toBe("2");
    expect(bucket()).toMatchObject({ revision: 2, entries: 1 });
  });

  it("can be made after it was deleted, and only then by create", async () => {
    await make();
    const first = await put("x", "1", { kind: "absent" });
    await remove("x", false, { kind: "revision", revision: first });
    expect(() => read("x")).toThrow("key x not found");
    expect(await put("x", "2", { kind: "absent" })).toBe(3);
  });

  it("lets one of two racing writers win", async () => {
    await make();
    const revision = await put("x", "0");
    const results = await Promise.allSettled(
      ["1", "2", "3"].map((text) => put("x", text, { kind: "revision", revision })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  it("keeps as many revisions as its bucket says", async () => {
    await make({ history: 3 });
    for (const text of ["1", "2", "3", "4"]) await put("x", text);
    await remove("x");
    const rows = engine.core.store.kv.history(bucket().id, "x", engine.clock.nowMs());
    expect(rows.map(({ revision, operation }) => [revision, operation])).toEqual([
      [5, "delete"],
      [4, "put"],
      [3, "put"],
    ]);
    expect(read("x", 4)).toBe("4");
    expect(() => read("x", 2)).toThrow("key x at revision 2 not found");
    expect(bucket()).toMatchObject({ entries: 3, bytes: 5 });
  });

  it("leaves nothing after a purge", async () => {
    await make({ history: 10 });
    await put("x", "1");
    await put("x", "2");
    await remove("x", true);
    expect(stored()).toBe(0);
    expect(bucket()).toMatchObject({ entries: 0, bytes: 0, revision: 3 });
  });
});

describe("time to live", () => {
  it("takes values away when it is over, to the millisecond, and tells watchers", async () => {
    await make({ ttl_seconds: 10 });
    const seen: [string, string][] = [];
    const stop = engine.core.kvWatchers.watch(bucket().id, {
      onChange: ({ key, operation }) => seen.push([key, operation]),
      onDropped: () => {},
    });
    await put("x", "1");
    engine.clock.jump(9_999);
    expect(read("x")).toBe("1");
    engine.clock.jump(1);
    expect(() => read("x")).toThrow("not found");
    expect(keys()).toEqual([]);
    expect(await put("y", "2", { kind: "absent" })).toBe(2);
    engine.clock.jump(-10_000);
    engine.clock.advance(10_000);
    await engine.until("the sweep", () => seen.length === 3);
    expect(seen).toEqual([
      ["x", "put"],
      ["y", "put"],
      ["x", "delete"],
    ]);
    expect(stored()).toBe(1);
    expect(bucket()).toMatchObject({ entries: 1, bytes: 2 });
    stop();
  });

  it("begins anew with each put, and goes on over a restart", async () => {
    const clock = createFakeClock();
    const folder = await mkdtemp(join(tmpdir(), "engine-kv-"));
    const file = join(folder, "engine.db");
    await engine.stop();
    engine = await createHarness({ file, clock });
    await make({ ttl_seconds: 10 });
    await put("x", "1");
    clock.advance(6_000);
    await put("x", "2");
    await engine.stop();
    clock.jump(6_000);
    engine = await createHarness({ file, clock });
    expect(read("x")).toBe("2");
    clock.advance(4_000);
    await engine.until("the sweep after the restart", () => stored() === 0);
    await rm(folder, { recursive: true, maxRetries: 5 });
  });
});

describe("a bucket", () => {
  it("refuses what would make it too large, and takes it once there is room", async () => {
    await make({ max_bytes: 10, max_value_size: 8 });
    await expect(put("x", "123456789")).rejects.toMatchObject({ code: "invalid_argument" });
    await put("x", "12345678");
    await expect(put("y", "1")).rejects.toMatchObject({ code: "failed_precondition" });
    expect(bucket()).toMatchObject({ entries: 1, bytes: 9 });
    await put("x", "1");
    await put("y", "1");
  });

  it("is gone at once when it is deleted, and its entries soon after", async () => {
    await make();
    for (let n = 0; n < 450; n += 1) await put(`k${n}`, "v");
    await engine.change((tx) => deleteBucket(engine.core, tx, ENV, "b"));
    expect(() => bucket()).toThrow("bucket b not found");
    await make();
    expect(keys()).toEqual([]);
    await put("k1", "new");
    for (let n = 0; n < 4; n += 1) {
      engine.clock.advance(0);
      await engine.settle();
    }
    expect(stored()).toBe(1);
    expect(read("k1")).toBe("new");
  });

  it("lists keys in order, by pattern", async () => {
    await make();
    for (const key of ["user.2", "user.1", "user.1.name", "users", "order.1", "a/b=c"]) await put(key, "v");
    await remove("order.1");
    expect(keys()).toEqual(["a/b=c", "user.1", "user.1.name", "user.2", "users"]);
    expect(keys("user.*")).toEqual(["user.1", "user.2"]);
    expect(keys("user.>")).toEqual(["user.1", "user.1.name", "user.2"]);
    expect(keys("*")).toEqual(["a/b=c", "users"]);
    expect(keys("users")).toEqual(["users"]);
    expect(keys("order.1")).toEqual([]);
  });

  it("lists more keys than fit a page, and says when it stopped", async () => {
    await make();
    await Promise.all(Array.from({ length: 10_001 }, (_, n) => put(`k${String(n).padStart(5, "0")}`, "")));
    const page = listKeys(engine.core, bucket(), undefined);
    expect(page).toMatchObject({ truncated: true });
    expect(page.keys).toHaveLength(10_000);
    expect(listKeys(engine.core, bucket(), "k09999")).toEqual({ keys: ["k09999"], truncated: false });
  });
});
