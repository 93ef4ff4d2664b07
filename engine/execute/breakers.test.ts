import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../errors.ts";
import { completed, createHarness, down, ENV, failed, type Harness } from "../testing/harness.ts";
import type { PushOutcome } from "./push.ts";

let engine: Harness;
let answer: () => PushOutcome | Promise<PushOutcome>;

beforeEach(async () => {
  engine = await createHarness();
  answer = () => down("ECONNREFUSED");
  await engine.define("ship", () => answer(), {
    triggers: [{ event: "go" }],
    retry: { maxAttempts: 1 },
  });
});

afterEach(() => engine.stop());

const breaker = () => engine.core.breakers.list(ENV)[0];

async function emit(): Promise<string> {
  return (await engine.emit("go")).runIds[0] ?? "";
}

/** Five runs that each fail once. */
async function openIt(): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    const id = await emit();
    await engine.until("pause", () => engine.run(id).status === "paused");
  }
}

it("opens after five failed calls in a row; then runs are deferred without a call and without an error", async () => {
  await openIt();
  expect(breaker()).toMatchObject({
    state: "open",
    consecutive_fails: 5,
    last_failure_reason: "ECONNREFUSED",
  });
  const id = await emit();
  await engine.settle();
  expect(engine.run(id)).toMatchObject({ status: "waiting", error: null, started_at: null });
  expect(engine.calls).toHaveLength(5);
});

it("begins its count anew after a success; a function's own failure is a success of the endpoint", async () => {
  for (const next of [() => completed(), () => failed("no", false)]) {
    answer = () => down("x");
    for (let n = 0; n < 4; n += 1) {
      const id = await emit();
      await engine.until("pause", () => engine.run(id).status === "paused");
    }
    expect(breaker()?.consecutive_fails).toBe(4);
    answer = next;
    const id = await emit();
    await engine.until("end", () => engine.run(id).ended_at !== null);
    expect(breaker()).toMatchObject({ state: "closed", consecutive_fails: 0, last_failure_reason: "x" });
  }
});

it("lets one probe through after 60 s, closes when it succeeds, and then lets the deferred runs go", async () => {
  await openIt();
  const ids = [await emit(), await emit(), await emit()];
  engine.clock.advance(59_999);
  await engine.settle();
  expect(engine.calls).toHaveLength(5);

  let finishProbe: ((outcome: PushOutcome) => void) | undefined;
  answer = () => new Promise<PushOutcome>((resolve) => (finishProbe = resolve));
  engine.clock.advance(1);
  await engine.until("probe", () => finishProbe !== undefined);
  await engine.settle();
  expect(engine.calls).toHaveLength(6);
  expect(breaker()?.state).toBe("half-open");
  expect(ids.map((id) => engine.run(id).status)).toEqual(["running", "waiting", "waiting"]);

  answer = () => completed();
  finishProbe?.(completed());
  await engine.until("all ends", () => ids.every((id) => engine.run(id).status === "completed"));
  expect(breaker()).toMatchObject({ state: "closed", last_failure_reason: "ECONNREFUSED" });
});

it("opens for another 60 s when the probe fails", async () => {
  await openIt();
  const id = await emit();
  engine.clock.advance(60_000);
  await engine.until("probe's end", () => engine.run(id).status === "paused");
  expect(breaker()?.state).toBe("open");
  const next = await emit();
  engine.clock.advance(59_999);
  await engine.settle();
  expect(engine.calls).toHaveLength(6);
  engine.clock.advance(1);
  await engine.until("second probe", () => engine.run(next).status === "paused");
});

it("is closed by a reset, which lets the deferred runs go at once", async () => {
  await openIt();
  const id = await emit();
  await engine.settle();
  answer = () => completed();
  const row = await engine.change((tx) => engine.core.breakers.reset(tx, ENV, breaker()?.key ?? ""));
  expect(row).toMatchObject({ state: "closed", consecutive_fails: 0, last_failure_reason: "ECONNREFUSED" });
  await engine.until("end", () => engine.run(id).status === "completed");
  await expect(engine.change((tx) => engine.core.breakers.reset(tx, ENV, "nobody"))).rejects.toThrow(
    ApiError,
  );
});

it("counts each endpoint for itself: a function with a new endpoint goes on at once", async () => {
  await openIt();
  const id = await emit();
  await engine.settle();
  answer = () => completed();
  await engine.define("ship", () => answer(), {
    triggers: [{ event: "go" }],
    endpointUrl: "http://shop.test/elsewhere",
  });
  engine.core.dispatcher.wake(ENV, "ship");
  await engine.until("end", () => engine.run(id).status === "completed");
  expect(breaker()?.state).toBe("open");
});

it("leaves closed breakers out of the list a day after their last change", async () => {
  answer = () => down("once");
  const id = await emit();
  await engine.until("pause", () => engine.run(id).status === "paused");
  expect(engine.core.breakers.list(ENV)).toHaveLength(1);
  engine.clock.advance(86_400_001);
  expect(engine.core.breakers.list(ENV)).toHaveLength(0);
});

it("keeps the failures of a breaker over recovery and reset, newest first", async () => {
  await openIt();
  const key = breaker()?.key ?? "";
  await engine.change((tx) => engine.core.breakers.reset(tx, ENV, key));
  answer = () => completed();
  await emit();
  await engine.until("recovery", () => breaker()?.consecutive_fails === 0);
  answer = () => down("later");
  const id = await emit();
  await engine.until("pause", () => engine.run(id).status === "paused");
  const failures = engine.core.breakers.failures(ENV, key, 100);
  expect(failures.map(({ reason, opened }) => [reason, opened])).toEqual([
    ["later", 0],
    ["ECONNREFUSED", 1],
    ...Array.from({ length: 4 }, () => ["ECONNREFUSED", 0]),
  ]);
  expect(failures[0]?.run_id).toBe(id);
  expect(() => engine.core.breakers.failures("env_other", key, 100)).toThrow(/not found/);
});

it("goes half-open as soon as that can be stored, when the disk refused it at first", async () => {
  await openIt();
  vi.spyOn(engine.core.store.breakers, "put").mockImplementationOnce(() => {
    throw new Error("database or disk is full");
  });
  engine.clock.advance(60_000);
  await engine.settle();
  expect(breaker()).toMatchObject({ state: "open" });
  engine.clock.advance(1_000);
  await engine.settle();
  expect(breaker()).toMatchObject({ state: "half-open" });
});
