import { afterEach, beforeEach, expect, it } from "vitest";
import {
  completed,
  createHarness,
  ENV,
  failed,
  failedStep,
  isDone,
  step,
  type Harness,
} from "../testing/harness.ts";
import { cancelRun, deleteRun, RESUME_WINDOW_MS, resumeRun } from "./commands.ts";
import type { PushOutcome } from "./push.ts";

let engine: Harness;
let carrierUp: boolean;

beforeEach(async () => {
  engine = await createHarness();
  carrierUp = false;
  await engine.define(
    "ship",
    (request) => {
      const id = request.run_id;
      const steps = ["pick", "pack"].filter((name) => !isDone(request, name)).map((name) => step(id, name));
      if (carrierUp) return completed("sent", [...steps, step(id, "label")]);
      return failed("carrier is down", true, [...steps, failedStep(id, "label", "down")]);
    },
    { triggers: [{ event: "go" }], retry: { maxAttempts: 2, initialDelayMs: 10 } },
  );
});

afterEach(() => engine.stop());

const resume = (id: string, fromStep?: string) =>
  engine.change((tx) => resumeRun(engine.core, tx, ENV, id, fromStep));

async function pausedRun(): Promise<string> {
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.until("first failure", () => engine.run(id).status === "waiting");
  engine.clock.advance(10);
  await engine.until("pause", () => engine.run(id).status === "paused");
  return id;
}

it("resumes a paused run with its completed steps and all its attempts", async () => {
  const id = await pausedRun();
  expect(engine.run(id).attempt).toBe(2);
  carrierUp = true;
  const resumed = await resume(id);
  expect(resumed).toMatchObject({ id, attempt: 1, error: null });
  await engine.until("end", () => engine.run(id).status === "completed");
  const last = engine.calls.at(-1);
  expect(last).toMatchObject({ attempt: 1, steps: [{ name: "pick" }, { name: "pack" }] });
  expect(engine.steps(id).map(({ name, status }) => [name, status])).toEqual([
    ["pick", "completed"],
    ["pack", "completed"],
    ["label", "completed"],
  ]);
});

it("refuses a second resume inside the window and leaves the run alone, whatever became of the first", async () => {
  const id = await pausedRun();
  await resume(id);
  await engine.until("failure", () => engine.run(id).status === "waiting");
  await expect(resume(id)).rejects.toMatchObject({ code: "already_exists" });
  engine.clock.advance(10);
  await engine.until("pause", () => engine.run(id).status === "paused");
  const before = engine.run(id);
  await expect(resume(id)).rejects.toMatchObject({ code: "already_exists" });
  expect(engine.run(id)).toEqual(before);
  engine.clock.advance(RESUME_WINDOW_MS);
  expect(await resume(id)).toMatchObject({ status: "running" });
});

it("does a step again, and all after it, when told to resume from there", async () => {
  const id = await pausedRun();
  carrierUp = true;
  await expect(resume(id, "nothing")).rejects.toMatchObject({
    code: "invalid_argument",
    message: /from_step/,
  });
  await resume(id, "pack");
  await engine.until("end", () => engine.run(id).status === "completed");
  expect(engine.calls.at(-1)?.steps).toMatchObject([{ name: "pick" }]);
  expect(engine.steps(id).map(({ name, sequence }) => [name, sequence])).toEqual([
    ["pick", 1],
    ["pack", 2],
    ["label", 3],
  ]);
});

it("resumes neither a running nor a completed nor a cancelled run", async () => {
  const id = await pausedRun();
  carrierUp = true;
  await resume(id);
  await engine.until("end", () => engine.run(id).status === "completed");
  engine.clock.advance(RESUME_WINDOW_MS);
  await expect(resume(id)).rejects.toMatchObject({ code: "failed_precondition" });
  const other = await pausedRun().catch(() => "");
  expect(other).toBe("");
  await expect(resume("run_none")).rejects.toMatchObject({ code: "not_found" });
});

it("cancels a paused run, and nothing that is at its end", async () => {
  const id = await pausedRun();
  const cancelled = await engine.change((tx) => cancelRun(engine.core, tx, ENV, id, "no longer wanted"));
  expect(cancelled).toMatchObject({ status: "cancelled", cancellation_cause: "no longer wanted" });
  await expect(engine.change((tx) => cancelRun(engine.core, tx, ENV, id, ""))).rejects.toMatchObject({
    code: "failed_precondition",
  });
  await expect(resume(id)).rejects.toMatchObject({ code: "failed_precondition" });
});

it("keeps the steps of a call that ended after its run was cancelled, and nothing else of it", async () => {
  let finish: ((outcome: PushOutcome) => void) | undefined;
  await engine.define("slow", () => new Promise((resolve) => (finish = resolve)), {
    triggers: [{ event: "slow" }],
  });
  const id = (await engine.emit("slow")).runIds[0] ?? "";
  await engine.until("call", () => finish !== undefined);
  await engine.change((tx) => cancelRun(engine.core, tx, ENV, id, ""));
  finish?.(completed("done", [step(id, "charge", 7)]));
  await engine.until("step", () => engine.steps(id).length === 1);
  expect(engine.run(id)).toMatchObject({ status: "cancelled", output: null, step_count: 1 });
});

it("lets a resumed run be cancelled by an event as before", async () => {
  await engine.define("once", () => failed("no", false), {
    triggers: [{ event: "once" }],
    cancelOn: [{ event: "revoked", match: "data.order" }],
  });
  const id = (await engine.emit("once", { order: 1 })).runIds[0] ?? "";
  await engine.until("failure", () => engine.run(id).status === "failed");
  await engine.define("once", () => failed("later", true), {
    triggers: [{ event: "once" }],
    cancelOn: [{ event: "revoked", match: "data.order" }],
  });
  await resume(id);
  await engine.until("the next failure", () => engine.run(id).status === "waiting");
  await engine.emit("revoked", { order: 2 });
  await engine.emit("revoked", { order: 1 });
  await engine.settle();
  expect(engine.run(id)).toMatchObject({ status: "cancelled", cancellation_cause: "cancel-on-event" });
});

it("deletes only runs at their end, with everything that belongs to them", async () => {
  const id = await pausedRun();
  const remove = () => engine.change((tx) => deleteRun(engine.core, tx, ENV, id));
  await expect(remove()).rejects.toMatchObject({ code: "failed_precondition", message: /cancel it first/ });
  await engine.change((tx) => cancelRun(engine.core, tx, ENV, id, ""));
  await remove();
  expect(engine.core.store.runs.get(id)).toBeUndefined();
  expect(engine.steps(id)).toEqual([]);
  expect(engine.core.store.attemptErrors.byRun(id)).toEqual([]);
  await expect(remove()).rejects.toMatchObject({ code: "not_found" });
});
