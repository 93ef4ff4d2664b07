import { afterEach, beforeEach, expect, it } from "vitest";
import {
  completed,
  createHarness,
  down,
  failed,
  failedStep,
  isDone,
  step,
  type Harness,
} from "../testing/harness.ts";
import { retryDelayMs } from "./retry.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

it("doubles the delay from the first one up to the cap", () => {
  const policy = { initialDelayMs: 100, backoffFactor: 2, maxDelayMs: 350 };
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(policy, attempt))).toEqual([100, 200, 350, 350]);
  expect(retryDelayMs(undefined, 1)).toBe(1_000);
  expect(retryDelayMs(undefined, 20)).toBe(300_000);
});

it("waits between attempts, keeps completed steps, and completes when an attempt succeeds", async () => {
  let printed = 0;
  await engine.define(
    "label",
    (request) => {
      const steps = isDone(request, "weigh") ? [] : [step(request.run_id, "weigh", 5)];
      if (!isDone(request, "weigh")) printed += 1;
      if (request.attempt < 3)
        return failed("carrier is busy", true, [...steps, failedStep(request.run_id, "print", "busy")]);
      return completed({ ok: true }, [...steps, step(request.run_id, "print")]);
    },
    { triggers: [{ event: "packed" }], retry: { initialDelayMs: 1_000, backoffFactor: 3 } },
  );
  const { runIds } = await engine.emit("packed");
  const id = runIds[0] ?? "";
  await engine.until("first failure", () => engine.run(id).status === "waiting");
  expect(engine.run(id)).toMatchObject({ attempt: 2, ended_at: null });
  expect(JSON.parse(engine.run(id).error ?? "")).toMatchObject({ message: "carrier is busy" });
  expect(engine.steps(id).map(({ name, status }) => [name, status])).toEqual([
    ["weigh", "completed"],
    ["print", "retrying"],
  ]);

  engine.clock.advance(999);
  await engine.settle();
  expect(engine.calls).toHaveLength(1);
  engine.clock.advance(1);
  await engine.until("second failure", () => engine.run(id).attempt === 3);
  engine.clock.advance(2_999);
  await engine.settle();
  expect(engine.calls).toHaveLength(2);
  engine.clock.advance(1);
  await engine.until("completion", () => engine.run(id).status === "completed");

  expect(printed).toBe(1);
  expect(engine.run(id)).toMatchObject({ attempt: 3, error: null });
  expect(engine.steps(id).map(({ name, status, sequence }) => [name, status, sequence])).toEqual([
    ["weigh", "completed", 1],
    ["print", "completed", 2],
  ]);
  expect(engine.core.store.attemptErrors.byRun(id).map(({ attempt, kind }) => [attempt, kind])).toEqual([
    [1, "function"],
    [2, "function"],
  ]);
});

it("pauses a run whose attempts are used up and fails one that says retrying is useless", async () => {
  await engine.define("busy", () => failed("busy", true), {
    triggers: [{ event: "go" }],
    retry: { maxAttempts: 2, initialDelayMs: 10 },
  });
  await engine.define(
    "broken",
    (request) => failed("broken", false, [failedStep(request.run_id, "a", "broken")]),
    {
      triggers: [{ event: "go" }],
    },
  );
  const { runIds } = await engine.emit("go");
  const [broken = "", busy = ""] = runIds;
  await engine.until("failure", () => engine.run(broken).status === "failed");
  expect(engine.run(broken)).toMatchObject({ attempt: 1, ended_at: engine.clock.nowMs() });
  expect(engine.steps(broken).map(({ status }) => status)).toEqual(["failed"]);
  await engine.until("first failure", () => engine.run(busy).status === "waiting");
  engine.clock.advance(10);
  await engine.until("pause", () => engine.run(busy).status === "paused");
  expect(engine.run(busy)).toMatchObject({ attempt: 2, ended_at: null });
  expect(engine.calls.filter(({ function_id: id }) => id === "busy").map(({ attempt }) => attempt)).toEqual([
    1, 2,
  ]);
});

it("counts a call without a valid answer as an attempt", async () => {
  await engine.define("away", () => down("ECONNREFUSED"), {
    triggers: [{ event: "go" }],
    retry: { maxAttempts: 2, initialDelayMs: 10 },
  });
  const { runIds } = await engine.emit("go");
  const id = runIds[0] ?? "";
  await engine.until("first failure", () => engine.run(id).status === "waiting");
  engine.clock.advance(10);
  await engine.until("pause", () => engine.run(id).status === "paused");
  expect(JSON.parse(engine.run(id).error ?? "")).toMatchObject({
    code: "TRANSPORT_ERROR",
    message: "ECONNREFUSED",
  });
});

it("fails a run whose function reports a step id of another run", async () => {
  await engine.define("liar", () => completed(null, [step("run_other", "a")]), {
    triggers: [{ event: "go" }],
  });
  const { runIds } = await engine.emit("go");
  const id = runIds[0] ?? "";
  await engine.until("failure", () => engine.run(id).status === "failed");
  expect(JSON.parse(engine.run(id).error ?? "")).toMatchObject({ code: "PROTOCOL_ERROR" });
  expect(engine.steps(id)).toEqual([]);
});
