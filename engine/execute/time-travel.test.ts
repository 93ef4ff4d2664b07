import { afterEach, beforeEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import {
  asleep,
  completed,
  createHarness,
  ENV,
  failed,
  isDone,
  step,
  type Harness,
} from "../testing/harness.ts";
import { patchStep } from "./injection.ts";
import { redactRun } from "./redact.ts";
import { runStateAt, runTimeline, stepStateOf } from "./time-travel.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

/** A run that works, sleeps for ten seconds and works again. */
async function sleeper(): Promise<string> {
  await engine.define(
    "f",
    (request) => {
      const { run_id: runId } = request;
      if (!isDone(request, "nap"))
        return asleep(request, engine.clock.nowMs() + 10_000, [step(runId, "first", { big: 1 })]);
      return completed("end", [step(runId, "second", 2)]);
    },
    { triggers: [{ event: "go" }] },
  );
  const [runId = ""] = (await engine.emit("go", { n: 1 })).runIds;
  await engine.until("the nap", () => engine.run(runId).status === "waiting");
  return runId;
}

const stateAt = (runId: string, atMs: number) => {
  const { status, output, steps } = runStateAt(engine.core, engine.run(runId), atMs);
  return { status, output, steps: steps.map((state) => [state.step.name, state.status, state.output]) };
};

it("shows a run as it was at each moment, whatever became of it", async () => {
  const runId = await sleeper();
  const napping = engine.clock.nowMs();
  engine.clock.advance(10_000);
  await engine.until("the end", () => engine.run(runId).status === "completed");
  const ended = engine.clock.nowMs();
  expect(stateAt(runId, napping)).toEqual({
    status: "waiting",
    output: null,
    steps: [
      ["first", "completed", '{"big":1}'],
      ["nap", "sleeping", null],
    ],
  });
  expect(stateAt(runId, ended)).toMatchObject({ status: "completed", output: '"end"' });
  expect(stateAt(runId, ended).steps.map(([name, status]) => [name, status])).toEqual([
    ["first", "completed"],
    ["nap", "completed"],
    ["second", "completed"],
  ]);
  expect(() => stateAt(runId, engine.run(runId).created_at - 1)).toThrow(/was made after it/);
});

it("shows the output a step had before it was replaced, each time", async () => {
  const runId = await sleeper();
  engine.clock.advance(10_000);
  await engine.until("the end", () => engine.run(runId).status === "completed");
  const moments = [engine.clock.nowMs()];
  for (const output of ["b", 1]) {
    engine.clock.advance(1_000);
    await engine.change((tx) =>
      patchStep(engine.core, tx, {
        environmentId: ENV,
        step: `${runId}:second:0`,
        output: toJsonText(output),
        reason: "wrong",
      }),
    );
    moments.push(engine.clock.nowMs());
  }
  const outputs = moments.map((at) => stepStateOf(engine.core, engine.run(runId), "second", at).output);
  expect(outputs).toEqual(["2", '"b"', "1"]);
  expect(() => stepStateOf(engine.core, engine.run(runId), "third", engine.clock.nowMs())).toThrow(
    /no step third/,
  );
});

it("tells what happened to a run, oldest first, with the steps' names", async () => {
  const runId = await sleeper();
  engine.clock.advance(10_000);
  await engine.until("the end", () => engine.run(runId).status === "completed");
  const entries = runTimeline(engine.core, engine.run(runId));
  expect(entries.map(({ row, summary, significant }) => [row.event_type, summary, significant])).toEqual([
    ["run.created", "run created", true],
    ["step.completed", "step first completed", true],
    ["step.started", "step nap started", false],
    ["step.completed", "step nap completed", true],
    ["step.completed", "step second completed", true],
    ["run.completed", "run completed", true],
  ]);
});

it("shows the placeholders of a redacted run, and no old output", async () => {
  const runId = await sleeper();
  engine.clock.advance(10_000);
  await engine.until("the end", () => engine.run(runId).status === "completed");
  const before = engine.clock.nowMs();
  engine.clock.advance(1_000);
  await engine.change((tx) =>
    patchStep(engine.core, tx, {
      environmentId: ENV,
      step: `${runId}:second:0`,
      output: toJsonText(3),
      reason: "",
    }),
  );
  await engine.change((tx) => redactRun(engine.core, tx, ENV, runId));
  const state = stateAt(runId, before);
  expect(JSON.stringify(state)).not.toContain("big");
  expect(state.steps.map(([, status]) => status)).toEqual(["completed", "completed", "completed"]);
  expect(runTimeline(engine.core, engine.run(runId)).at(-1)?.row.event_type).toBe("run.redacted");
});

it("shows why a run had failed by then", async () => {
  await engine.define("f", () => failed("broken", false), { triggers: [{ event: "go" }] });
  const [runId = ""] = (await engine.emit("go")).runIds;
  await engine.until("the end", () => engine.run(runId).status === "failed");
  const state = runStateAt(engine.core, engine.run(runId), engine.clock.nowMs());
  expect(state.status).toBe("failed");
  expect(state.error).toContain("broken");
});
