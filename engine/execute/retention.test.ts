import { afterEach, expect, it } from "vitest";
import { completed, createHarness, ENV, yielded, type Harness } from "../testing/harness.ts";
import type { RetentionRules } from "./retention.ts";

let engine: Harness;

afterEach(() => engine.stop());

const dayMs = 86_400_000;

/** Runs and events of 40, 20 and 0 days ago, and one run of 40 days ago that still waits. */
async function aged(retention: RetentionRules): Promise<{ old: string[]; recent: string[]; open: string }> {
  engine = await createHarness({ retention });
  await engine.define("f", () => completed(), { triggers: [{ event: "go" }] });
  await engine.define(
    "w",
    (request) =>
      yielded({
        type: "wait_for_event",
        step_id: `${request.run_id}:x:0`,
        event_filter: { event: "never", timeout: "900d" },
      }),
    { triggers: [{ event: "wait" }] },
  );
  const open = (await engine.emit("wait")).runIds[0] ?? "";
  const old = [...(await engine.emit("go")).runIds, ...(await engine.emit("go")).runIds];
  await engine.settle();
  engine.clock.jump(20 * dayMs);
  const recent = [...(await engine.emit("go")).runIds];
  await engine.settle();
  engine.clock.jump(20 * dayMs);
  recent.push(...(await engine.emit("go")).runIds);
  await engine.settle();
  await engine.core.retention.sweep();
  return { old, recent, open };
}

const kept = (ids: string[]) => ids.filter((id) => engine.core.store.runs.get(id) !== undefined).length;
const events = () => engine.core.store.db.prepare<{ n: number }>("select count(*) as n from events").get()?.n;

it("forgets nothing without a rule", async () => {
  const { old, recent } = await aged({});
  expect([kept(old), kept(recent), events()]).toEqual([2, 2, 5]);
});

it("forgets by age what is at its end, with its events, and keeps what still waits", async () => {
  const { old, recent, open } = await aged({ days: 30 });
  expect([kept(old), kept(recent), kept([open]), events()]).toEqual([0, 2, 1, 3]);
  const run = engine.run(open);
  expect(engine.core.store.events.get(ENV, run.event_id)).toBeDefined();
});

it("forgets by count, but nothing of the last 30 days", async () => {
  const { old, recent, open } = await aged({ count: 1 });
  expect([kept(old), kept(recent), kept([open]), events()]).toEqual([0, 2, 1, 3]);
});

it("forgets by count within the last 30 days only when told so", async () => {
  const { old, recent } = await aged({ count: 1, days: 10 });
  expect([kept(old), kept(recent)]).toEqual([0, 1]);
});
