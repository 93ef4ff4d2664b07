import { afterEach, beforeEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import {
  completed,
  createHarness,
  ENV,
  failed,
  isDone,
  step,
  yielded,
  type Harness,
} from "../testing/harness.ts";
import { cancelRun, deleteRuns, requestPause, resumeRun } from "./commands.ts";
import { injectOutput, patchStep } from "./injection.ts";
import type { PushOutcome } from "./push.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

const pause = (id: string) => engine.change((tx) => requestPause(engine.core, tx, ENV, id));
const resume = (id: string, from?: string) =>
  engine.change((tx) => resumeRun(engine.core, tx, ENV, id, from));

async function pass(ms: number): Promise<void> {
  engine.clock.advance(ms);
  await engine.settle();
}

async function waiter(): Promise<string> {
  await engine.define(
    "w",
    (request) =>
      isDone(request, "paid")
        ? completed(request.steps?.[0]?.output)
        : yielded({
            type: "wait_for_event",
            step_id: `${request.run_id}:paid:0`,
            event_filter: { event: "paid", timeout: "1h" },
          }),
    { triggers: [{ event: "order" }] },
  );
  const id = (await engine.emit("order")).runIds[0] ?? "";
  await engine.until("wait", () => engine.run(id).status === "waiting");
  return id;
}

it("stops a run that is in a step once the step's answer is there, and keeps that answer", async () => {
  let finish: ((outcome: PushOutcome) => void) | undefined;
  await engine.define(
    "f",
    (request) =>
      isDone(request, "a")
        ? completed("end")
        : new Promise<PushOutcome>((resolve) => {
            finish = resolve;
          }),
    { triggers: [{ event: "go" }] },
  );
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.until("call", () => finish !== undefined);
  expect([await pause(id), await pause(id), engine.run(id).status]).toEqual([
    "pause_requested",
    "pause_requested",
    "running",
  ]);
  const until = new Date(engine.clock.nowMs() + 1_000).toISOString();
  finish?.(yielded({ type: "sleep", step_id: `${id}:nap:0`, until }, [step(id, "a", 1)]));
  await engine.until("pause", () => engine.run(id).status === "paused");
  expect(engine.run(id)).toMatchObject({ pause_reason: "sleep", pause_requested: 0 });
  await pass(2_000);
  expect(engine.run(id).status).toBe("paused");
  expect(engine.steps(id).map(({ status }) => status)).toEqual(["completed", "completed"]);
  await resume(id);
  await engine.until("end", () => engine.run(id).status === "completed");
});

it("keeps an event that comes while the waiting run is held, and goes on with it when it is resumed", async () => {
  const id = await waiter();
  expect([await pause(id), engine.run(id).pause_reason]).toEqual(["paused", "wait_event"]);
  await engine.emit("paid", { sum: 3 });
  await engine.settle();
  expect(engine.run(id)).toMatchObject({ status: "paused", pause_reason: "injection" });
  await resume(id);
  await engine.until("end", () => engine.run(id).status === "completed");
  expect(engine.run(id).output).toContain('"sum":3');
});

it("waits on when it is resumed before the event came", async () => {
  const id = await waiter();
  await pause(id);
  await resume(id);
  await engine.settle();
  expect(engine.run(id).status).toBe("waiting");
  await engine.emit("paid");
  await engine.until("end", () => engine.run(id).status === "completed");
});

it("puts a person's output in the place of a wait; the event that comes later changes nothing", async () => {
  const id = await waiter();
  const inject = () =>
    engine.change((tx) =>
      injectOutput(engine.core, tx, {
        environmentId: ENV,
        runId: id,
        step: "paid",
        output: toJsonText({ by: "hand" }),
        reason: "the bank was down",
      }),
    );
  await expect(inject()).rejects.toMatchObject({ code: "failed_precondition" });
  await pause(id);
  const { previous, step: injected } = await inject();
  expect([previous, injected.status, injected.injected]).toEqual([null, "completed", 1]);
  await engine.emit("paid", { by: "bank" });
  await resume(id);
  await engine.until("end", () => engine.run(id).status === "completed");
  expect(engine.run(id).output).toBe('{"by":"hand"}');
});

it("patches a failed run's step, keeps the first output, and a resume works with the new one", async () => {
  await engine.define(
    "f",
    (request) =>
      isDone(request, "a")
        ? request.steps?.[0]?.output === 2
          ? completed("good")
          : failed("bad input", false)
        : failed("first", false, [step(request.run_id, "a", 1)]),
    { triggers: [{ event: "go" }] },
  );
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.until("failure", () => engine.run(id).status === "failed");
  const patch = (output: unknown) =>
    engine.change((tx) =>
      patchStep(engine.core, tx, {
        environmentId: ENV,
        step: `${id}:a:0`,
        output: toJsonText(output),
        reason: "",
      }),
    );
  await patch(7);
  expect(await patch(2)).toMatchObject({ output: "2", original_output: "1", patched_by: "api", injected: 0 });
  await resume(id);
  await engine.until("end", () => engine.run(id).status === "completed");
  const types = engine.core.store.audit.byRun(id).map((row) => row.event_type);
  expect(types).toEqual([
    "run.created",
    "step.completed",
    "run.failed",
    "step.patched",
    "step.patched",
    "run.resumed",
    "run.completed",
  ]);
});

it("does a run's steps again from the one it is resumed from", async () => {
  const done: string[] = [];
  await engine.define(
    "f",
    (request) => {
      const next = ["a", "b", "c"].find((name) => !isDone(request, name));
      if (next === undefined) return failed("at the end", false);
      done.push(next);
      const until = new Date(engine.clock.nowMs()).toISOString();
      return yielded({ type: "sleep", step_id: `${request.run_id}:nap-${next}:0`, until }, [
        step(request.run_id, next),
      ]);
    },
    { triggers: [{ event: "go" }] },
  );
  const id = (await engine.emit("go")).runIds[0] ?? "";
  const work = async () => {
    for (let n = 0; n < 5; n += 1) await pass(1);
  };
  await work();
  expect([engine.run(id).status, done]).toEqual(["failed", ["a", "b", "c"]]);
  await resume(id, "b");
  await work();
  expect([engine.run(id).status, done]).toEqual(["failed", ["a", "b", "c", "b", "c"]]);
});

it("deletes many runs at their end, oldest first, and leaves those that are not", async () => {
  const open = await waiter();
  await engine.define("f", () => completed(), { triggers: [{ event: "go" }] });
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    ids.push(...(await engine.emit("go")).runIds);
    await pass(10);
  }
  const remove = (wanted: object, limit = 100) =>
    engine.change((tx) => deleteRuns(engine.core, tx, { environmentId: ENV, ...wanted }, limit));
  await expect(remove({ status: "waiting" })).rejects.toMatchObject({ code: "invalid_argument" });
  expect(await remove({ functionId: "f" }, 2)).toBe(2);
  expect(ids.map((id) => engine.core.store.runs.get(id) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(await remove({ status: "failed" })).toBe(0);
  expect(await remove({})).toBe(3);
  expect(engine.run(open).status).toBe("waiting");
  await engine.change((tx) => cancelRun(engine.core, tx, ENV, open, ""));
});
