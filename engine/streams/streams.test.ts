import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createHarness, ENV, type Harness } from "../testing/harness.ts";
import { ANY_VERSION, appendEvent } from "./append.ts";
import { deleteStream, purgeStream } from "./delete.ts";

let engine: Harness;

afterEach(() => engine.stop());

const dayMs = 86_400_000;

function append(entityId: string, data: unknown = {}, expectedVersion = ANY_VERSION, key?: string) {
  return engine.change((tx) =>
    appendEvent(engine.core, tx, {
      environmentId: ENV,
      entityId,
      entityType: "order",
      name: "order.changed",
      data: toJsonText(data),
      expectedVersion,
      idempotencyKey: key,
      version: 1,
    }),
  );
}

const events = () =>
  engine.core.store.db
    .prepare<{ n: number; newest: number }>("select count(*) as n, max(seq) as newest from events")
    .get();

it("retention leaves the events of streams, and the newest event whose number the next one counts on from", async () => {
  engine = await createHarness({ retention: { days: 10 } });
  await append("o-1");
  await engine.emit("a");
  await engine.emit("b");
  const before = events()?.newest ?? 0;
  engine.clock.jump(20 * dayMs);
  await engine.core.retention.sweep();
  expect(events()).toEqual({ n: 2, newest: before });
  await engine.emit("c");
  expect(events()?.newest).toBe(before + 1);
});

it("a key answers its first append although the stream went on, and nothing any more once it was purged", async () => {
  engine = await createHarness();
  const first = await append("o-1", { n: 1 }, 0, "k");
  await append("o-1", { n: 2 });
  expect(await append("o-1", { n: 1 }, 0, "k")).toEqual(first);
  await engine.change((tx) => deleteStream(engine.core, tx, ENV, "o-1", true));
  await purgeStream(engine.core, ENV, "o-1");
  await expect(append("o-1", { n: 1 }, 0, "k")).rejects.toMatchObject({ code: "failed_precondition" });
});

it("an append that fails leaves neither an event nor a stream", async () => {
  engine = await createHarness();
  await expect(append("o-1", {}, 3)).rejects.toMatchObject({ code: "aborted" });
  expect(engine.core.store.streams.get(ENV, "o-1")).toBeUndefined();
  expect(events()?.n).toBe(0);
});

it("functions see the entity of an event in their expressions", async () => {
  engine = await createHarness();
  await engine.define("f", () => ({ kind: "transport", reason: "down" }), {
    triggers: [{ event: "order.changed", expression: "entity_id == 'o-2' && entity_version == 1" }],
  });
  await append("o-1");
  const { eventId } = await append("o-2");
  await append("o-2");
  engine.clock.advance(0);
  await engine.until("the delivery", () => engine.core.store.outbox.nextDue() === undefined);
  expect(engine.calls.map(({ event }) => event.id)).toEqual([eventId]);
});

it("a purge that was cut off is invisible to readers at once and ends at the next start", async () => {
  const folder = await mkdtemp(join(tmpdir(), "streams-"));
  try {
    const file = join(folder, "engine.db");
    const clock = createFakeClock();
    engine = await createHarness({ file, clock });
    for (let n = 0; n < 450; n += 1) await append("o-1", { secret: "sesame", n });
    // Only the deletion itself: as if the engine had been killed before the first batch of the purge.
    await engine.change((tx) => deleteStream(engine.core, tx, ENV, "o-1", true));
    const range = { fromVersion: 0, backward: false, limit: 1000 };
    const read = () => {
      const stream = engine.core.store.streams.get(ENV, "o-1");
      if (stream === undefined) throw new Error("no stream");
      return engine.core.store.streams.read(stream, range, 1_000_000).map(({ name }) => name);
    };
    expect(read()).toEqual(["$stream.deleted"]);
    expect(events()?.n).toBe(451);
    await engine.stop();
    engine = await createHarness({ file, clock });
    await engine.until("the purge to end", () => events()?.n === 1);
    expect(read()).toEqual(["$stream.deleted"]);
    expect(engine.core.store.streams.purging()).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

it("a page of a stream ends before its data are too much, and never is empty", async () => {
  engine = await createHarness();
  for (let n = 0; n < 3; n += 1) await append("o-1", { text: "x".repeat(1000) });
  const stream = engine.core.store.streams.get(ENV, "o-1");
  if (stream === undefined) throw new Error("no stream");
  const range = { fromVersion: 0, backward: false, limit: 10 };
  expect(engine.core.store.streams.read(stream, range, 2_100)).toHaveLength(2);
  expect(engine.core.store.streams.read(stream, range, 10)).toHaveLength(1);
});
