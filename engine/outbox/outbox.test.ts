import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { redactEvent } from "../execute/redact.ts";
import { toJsonText } from "../json/json-text.ts";
import { appendEvent } from "../streams/append.ts";
import { deleteStream } from "../streams/delete.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import { fillDisk, freeDisk } from "../testing/full-disk.ts";
import { completed, createHarness, ENV, type Harness } from "../testing/harness.ts";
import { discardOutbox, requeueOutbox } from "./outbox.ts";
import { OUTBOX_RETRY, outboxDelayMs } from "./relay.ts";

let engine: Harness;
let folder: string;
let file: string;
let clock: FakeClock;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "outbox-"));
  file = join(folder, "engine.db");
  clock = createFakeClock();
  engine = await createHarness({ file, clock });
  await define();
});

afterEach(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const define = () => engine.define("f", () => completed(), { triggers: [{ event: "order.*" }] });

const append = (entityId: string, data: unknown = {}, name = "order.placed") =>
  engine.change((tx) =>
    appendEvent(engine.core, tx, {
      environmentId: ENV,
      entityId,
      entityType: "order",
      name,
      data: toJsonText(data),
      expectedVersion: -1,
      version: 1,
    }),
  );

/** Lets what is due be delivered. */
async function deliver(): Promise<void> {
  engine.clock.advance(0);
  await engine.settle();
}

const rows = () =>
  engine.core.store.db
    .prepare<{ kind: string; attempts: number; last_error: string | null; due_at: number | null }>(
      "select kind, attempts, last_error, due_at from outbox order by seq",
    )
    .all();
const runs = () => engine.core.store.db.prepare<{ n: number }>("select count(*) as n from runs").get()?.n;
/** Tries until the delivery is dead. */
async function exhaust(): Promise<void> {
  for (let attempt = 0; attempt <= OUTBOX_RETRY.attempts; attempt += 1) {
    engine.clock.advance(OUTBOX_RETRY.longestMs);
    await engine.settle();
  }
}

describe("deliveries", () => {
  it("are two rows an append, gone once they are made, and start the run once", async () => {
    const { eventId } = await append("o-1", { n: 1 });
    expect(rows().map(({ kind, attempts }) => [kind, attempts])).toEqual([
      ["entity", 0],
      ["event", 0],
    ]);
    expect(runs()).toBe(0);
    await deliver();
    expect(rows()).toEqual([]);
    expect(engine.calls.map(({ event }) => event.id)).toEqual([eventId]);
  });

  it("that were stored before the engine was killed are made after its next start", async () => {
    await append("o-1");
    await engine.stop();
    engine = await createHarness({ file, clock });
    await define();
    await deliver();
    expect([rows(), runs()]).toEqual([[], 1]);
  });

  it("are tried again later and later after a failure, and dead after the last try", async () => {
    await append("o-1", { padding: "x".repeat(400_000) });
    fillDisk(engine.core.store.db);
    await deliver();
    expect(rows()).toMatchObject([{ kind: "event", attempts: 1, last_error: expect.stringMatching(/full/) }]);
    expect(rows()[0]?.due_at).toBe(engine.clock.nowMs() + 1_000);
    engine.clock.advance(999);
    await engine.settle();
    expect(rows()[0]?.attempts).toBe(1);
    engine.clock.advance(1);
    await engine.settle();
    expect(rows()[0]?.attempts).toBe(2);
    await exhaust();
    expect(rows()).toMatchObject([{ attempts: OUTBOX_RETRY.attempts, due_at: null }]);
    expect(engine.core.store.outbox.dead(ENV, { limit: 10, offset: 0 })).toMatchObject({ total: 1 });
    expect(runs()).toBe(0);
    freeDisk(engine.core.store.db);
  });

  it("wait between tries for 1 s, 2 s, 4 s ... and 300 s at most", () => {
    expect([1, 2, 3, 9, 10, 50].map(outboxDelayMs)).toEqual([1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
  });

  it("of one entity keep their order behind a failed one; other entities go on", async () => {
    await append("o-1", { n: 1, padding: "x".repeat(400_000) });
    await append("o-1", { n: 2 });
    await append("o-2", { n: 3 });
    fillDisk(engine.core.store.db);
    await deliver();
    const seen = () => engine.calls.map(({ event }) => (event.data as { n: number }).n);
    expect(seen()).toEqual([3]);
    expect(engine.core.store.outbox.nextDue()).toBe(engine.clock.nowMs() + 1_000);
    freeDisk(engine.core.store.db);
    engine.clock.advance(1_000);
    await engine.settle();
    expect(seen()).toEqual([3, 1, 2]);
  });

  it("to a live client that cannot be told are noted and made again", async () => {
    let broken = true;
    const topics: string[] = [];
    const stop = engine.core.hub.subscribe(({ topic }) => {
      if (topic.startsWith("entity:") && broken) throw new Error("the client is gone");
      topics.push(topic);
    });
    await append("o-1");
    await deliver();
    expect(rows()).toMatchObject([{ kind: "entity", attempts: 1, last_error: "the client is gone" }]);
    broken = false;
    engine.clock.advance(1_000);
    await engine.settle();
    expect(rows()).toEqual([]);
    expect(topics.filter((topic) => topic.startsWith("entity:"))).toEqual(["entity:o-1"]);
    stop();
  });
});

describe("dead deliveries", () => {
  /** An event both of whose deliveries are dead. */
  async function dead(): Promise<string> {
    const stop = engine.core.hub.subscribe(({ topic }) => {
      if (topic.startsWith("entity:")) throw new Error("the client is gone");
    });
    const { eventId } = await append("o-1", { padding: "x".repeat(400_000) });
    fillDisk(engine.core.store.db);
    await exhaust();
    freeDisk(engine.core.store.db);
    stop();
    expect(rows().map(({ due_at: dueAt }) => dueAt)).toEqual([null, null]);
    return eventId;
  }

  it("are all requeued by their event, and made", async () => {
    const id = await dead();
    expect(await engine.change((tx) => requeueOutbox(engine.core, tx, ENV, id))).toBe(2);
    expect(rows().map(({ attempts }) => attempts)).toEqual([0, 0]);
    await deliver();
    expect(rows()).toEqual([]);
    expect(engine.calls.map(({ event }) => event.id)).toEqual([id]);
    await expect(engine.change((tx) => requeueOutbox(engine.core, tx, ENV, id))).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("are all discarded by their event, which stays", async () => {
    const id = await dead();
    expect(await engine.change((tx) => discardOutbox(engine.core, tx, ENV, id))).toBe(2);
    expect(rows()).toEqual([]);
    expect(engine.core.store.events.get(ENV, id)).toBeDefined();
    const told = engine.core.store.audit.list(
      { environmentId: ENV, eventType: "outbox.discarded" },
      { limit: 10 },
    );
    expect(told.rows.map(({ payload }) => JSON.parse(payload) as unknown)).toEqual([
      { event_id: id, rows: 2 },
    ]);
  });

  it("of another environment are not found", async () => {
    const id = await dead();
    await expect(engine.change((tx) => discardOutbox(engine.core, tx, "env_x", id))).rejects.toThrow(
      "not found",
    );
    expect(rows()).toHaveLength(2);
  });

  it("do not keep their event from being redacted, and cannot be requeued then", async () => {
    const { eventId } = await append("o-9");
    await expect(engine.change((tx) => redactEvent(engine.core, tx, ENV, eventId))).rejects.toMatchObject({
      code: "failed_precondition",
    });
    await deliver();
    const id = await dead();
    await engine.change((tx) => redactEvent(engine.core, tx, ENV, id));
    expect(rows().map(({ last_error: error }) => error)).toEqual([
      expect.stringMatching(/\$redacted/),
      expect.stringMatching(/\$redacted/),
    ]);
    await expect(engine.change((tx) => requeueOutbox(engine.core, tx, ENV, id))).rejects.toThrow("redacted");
    expect(await engine.change((tx) => discardOutbox(engine.core, tx, ENV, id))).toBe(2);
  });

  it("go with their events when the stream is purged", async () => {
    await dead();
    await engine.change((tx) => deleteStream(engine.core, tx, ENV, "o-1", true));
    await deliver();
    expect(rows()).toEqual([]);
  });
});
