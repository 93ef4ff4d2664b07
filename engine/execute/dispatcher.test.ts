import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { completed, createHarness, ENV, failed, step, type Harness } from "../testing/harness.ts";
import { cancelRun, resumeRun } from "./commands.ts";
import type { PushOutcome } from "./push.ts";

let engine: Harness | undefined;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dispatcher-"));
});

afterEach(async () => {
  await engine?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A function whose calls end when the test says so. */
function gate() {
  const open: { id: string; finish: (outcome: PushOutcome) => void }[] = [];
  const script = ({ run_id: id }: { run_id: string }) =>
    new Promise<PushOutcome>((finish) => open.push({ id, finish }));
  return { open, script };
}

it("makes no more calls at once than a function allows, and takes the oldest runs first", async () => {
  engine = await createHarness();
  const { open, script } = gate();
  await engine.define("f", script, { triggers: [{ event: "go" }], concurrency: { limit: 2 } });
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(...(await engine.emit("go")).runIds);
  await engine.settle();
  expect(open.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(ids.map((id) => engine?.run(id).status)).toEqual([
    "running",
    "running",
    ...Array(3).fill("waiting_for_capacity"),
  ]);

  open[1]?.finish(completed());
  await engine.until("third call", () => open.length === 3);
  expect(open[2]?.id).toBe(ids[2]);
  for (let n = 0; n < 5; n += 1) {
    await engine.until("call", () => open.length > n);
    open[n]?.finish(completed());
  }
  await engine.until("all ends", () => ids.every((id) => engine?.run(id).status === "completed"));
});

it("shares the process's slots: a flood of one function does not keep another one waiting", async () => {
  const harness = await createHarness({ limits: { processSlots: 4, functionSlots: 3 } });
  engine = harness;
  const flood = gate();
  const calm = gate();
  await engine.define("flood", flood.script, { triggers: [{ event: "flood" }] });
  await engine.define("calm", calm.script, { triggers: [{ event: "calm" }] });
  await Promise.all(Array.from({ length: 20 }, () => harness.emit("flood")));
  await engine.emit("calm");
  await engine.settle();
  expect([flood.open.length, calm.open.length]).toEqual([3, 1]);
});

it("never has two calls of one run under way", async () => {
  const harness = await createHarness({ limits: { processSlots: 8, functionSlots: 8 } });
  engine = harness;
  const busy = new Set<string>();
  let most = 0;
  await engine.define(
    "f",
    async ({ run_id: id }) => {
      expect(busy.has(id)).toBe(false);
      busy.add(id);
      most = Math.max(most, busy.size);
      await new Promise((resolve) => setImmediate(resolve));
      busy.delete(id);
      return completed();
    },
    { triggers: [{ event: "go" }] },
  );
  const emitted = await Promise.all(Array.from({ length: 100 }, () => harness.emit("go")));
  for (let n = 0; n < 20; n += 1) engine.core.dispatcher.wake(ENV, "f");
  const ids = emitted.flatMap(({ runIds }) => runIds);
  await engine.until("all ends", () => ids.every((id) => engine?.run(id).status === "completed"));
  expect(engine.calls).toHaveLength(100);
  expect(most).toBeLessThanOrEqual(8);
});

it("begins no call for a run that was cancelled while it was queued", async () => {
  engine = await createHarness();
  const { open, script } = gate();
  await engine.define("f", script, { triggers: [{ event: "go" }], concurrency: { limit: 1 } });
  await engine.emit("go");
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.change((tx) => cancelRun((engine as Harness).core, tx, ENV, id, ""));
  open[0]?.finish(completed());
  await engine.settle();
  expect(open).toHaveLength(1);
});

it("begins no call for a run that was cancelled by a change of the same commit", async () => {
  const harness = await createHarness();
  engine = harness;
  await engine.define("f", () => failed("down", true), {
    triggers: [{ event: "go" }],
    retry: { maxAttempts: 1 },
  });
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.until("pause", () => harness.run(id).status === "paused");
  await Promise.all([
    engine.change((tx) => resumeRun(harness.core, tx, ENV, id, undefined)),
    engine.change((tx) => cancelRun(harness.core, tx, ENV, id, "")),
  ]);
  await engine.settle();
  expect(harness.run(id).status).toBe("cancelled");
  expect(engine.calls.length).toBe(1);
  // Its slot is free again, and nothing was counted against the endpoint.
  await engine.emit("go");
  await engine.until("the next call", () => harness.calls.length === 2);
});

it("tries again to store a result while the disk is in trouble, and calls the function only once", async () => {
  const harness = await createHarness();
  engine = harness;
  const { runs } = harness.core.store;
  const update = runs.update.bind(runs);
  let refusals = 3;
  await harness.define(
    "f",
    () => {
      runs.update = (...change) => {
        if (refusals === 0) return update(...change);
        refusals -= 1;
        throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
      };
      return completed("kept");
    },
    { triggers: [{ event: "go" }] },
  );
  const id = (await harness.emit("go")).runIds[0] ?? "";
  for (let n = 0; n < 3; n += 1) {
    await harness.settle();
    expect(harness.run(id).status).toBe("running");
    harness.clock.advance(500);
  }
  await harness.until("end", () => harness.run(id).status === "completed");
  expect([harness.calls.length, harness.run(id).output]).toEqual([1, '"kept"']);
});

it("pauses a run whose answer can never be stored, instead of trying for ever", async () => {
  const harness = await createHarness();
  engine = harness;
  const { steps } = harness.core.store;
  steps.put = () => {
    throw new Error("a defect");
  };
  await harness.define("f", (request) => completed(null, [step(request.run_id, "a")]), {
    triggers: [{ event: "go" }],
  });
  const id = (await harness.emit("go")).runIds[0] ?? "";
  await harness.settle();
  harness.clock.advance(500);
  await harness.until("pause", () => harness.run(id).status === "paused");
  expect(JSON.parse(harness.run(id).error ?? "")).toMatchObject({ code: "INTERNAL" });
});

it("takes up after a restart what was being executed, waiting for a slot or sleeping", async () => {
  const file = join(folder, "engine.db");
  engine = await createHarness({ file });
  const first = gate();
  await engine.define("f", first.script, { triggers: [{ event: "go" }], concurrency: { limit: 1 } });
  const ids = [...(await engine.emit("go")).runIds, ...(await engine.emit("go")).runIds];
  await engine.until("call", () => first.open.length === 1);
  const { clock } = engine;
  // Cut off like a crash: the call never gets its answer.
  await engine.stop();

  engine = await createHarness({ file, clock });
  await engine.define("f", () => completed(), { triggers: [{ event: "go" }], concurrency: { limit: 1 } });
  await engine.until("all ends", () => ids.every((id) => engine?.run(id).status === "completed"));
  expect(engine.run(ids[0] ?? "")).toMatchObject({ attempt: 1, execution_seq: 2 });
});

it("gives a call the function's own time, but never more than the engine's longest", async () => {
  const harness = (engine = await createHarness({ pushTimeoutMs: 60_000 }));
  for (const [id, timeoutMs] of [
    ["short", 500],
    ["long", 3_600_000],
  ] as const) {
    await harness.define(id, () => completed(), { triggers: [{ event: id }], timeoutMs });
    await harness.emit(id);
    await harness.settle();
  }
  expect(harness.budgetsMs).toEqual([500, 60_000]);
});

it("claims the ready runs of all other functions when those of one cannot be claimed, and those once they can", async () => {
  const harness = (engine = await createHarness({ limits: { processSlots: 1, functionSlots: 1 } }));
  let end = () => {};
  await harness.define("first", () => new Promise((resolve) => (end = () => resolve(completed()))), {
    triggers: [{ event: "first" }],
  });
  for (const id of ["broken", "good"])
    await harness.define(id, () => completed(), { triggers: [{ event: id }] });
  const [first, broken, good] = [
    await harness.emit("first"),
    await harness.emit("broken"),
    await harness.emit("good"),
  ].map(({ runIds }) => runIds[0] ?? "");
  const { runs } = harness.core.store;
  const update = runs.update.bind(runs);
  let isBroken = true;
  vi.spyOn(runs, "update").mockImplementation((row, ...rest) => {
    if (isBroken && row.id === broken) throw new Error("this row is broken");
    return update(row, ...rest);
  });
  end();
  await harness.settle();
  expect(harness.run(first ?? "").status).toBe("completed");
  expect(harness.run(good ?? "").status).toBe("completed");
  isBroken = false;
  harness.clock.advance(5_000);
  await harness.settle();
  expect(harness.run(broken ?? "").status).toBe("completed");
});
