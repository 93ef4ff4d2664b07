import { describe, expect, it } from "vitest";
import { ConnectRun, ConnectStep } from "../../../engine/contract/runs.ts";
import { errorInfo, restRunRow, toRun, toRunSummary, toStep } from "./normalise.ts";

const run = (fields: object) => ConnectRun.parse({ id: "run_1", ...fields });
const step = (fields: object) => ConnectStep.parse({ id: "row_1", runId: "run_1", ...fields });

describe("a run", () => {
  it("has what protojson left out", () => {
    expect(toRun(run({}))).toEqual({
      id: "run_1",
      function_id: "",
      event_id: "",
      execution_mode: "unspecified",
      status: "unspecified",
      attempt: 0,
      max_attempts: 0,
      created_at: "",
      updated_at: "",
    });
  });

  it("takes enum words of every spelling, known or not", () => {
    expect(toRun(run({ status: "RUN_STATUS_WAITING_FOR_CAPACITY" })).status).toBe("waiting_for_capacity");
    expect(toRun(run({ status: "FAILED" })).status).toBe("failed");
    expect(toRun(run({ status: "RUN_STATUS_HIBERNATING" })).status).toBe("hibernating");
    expect(toRun(run({ executionMode: "EXECUTION_MODE_PULL" })).execution_mode).toBe("pull");
  });

  it.each([
    [{ output: { a: 1 } }, { a: 1 }],
    [{ outputValue: "text" }, "text"],
    [{ outputValue: null }, null],
    [{ outputValue: 0, output: {} }, 0],
    [{ outputValue: [] }, []],
  ])("resolves the payload twin of %o", (fields, output) => {
    expect(toRun(run(fields))).toHaveProperty("output", output);
  });

  it("has no output when the wire has none", () => {
    expect(toRun(run({}))).not.toHaveProperty("output");
  });

  it("leaves out times that were never set", () => {
    const { started_at, ended_at } = toRun(run({ startedAt: null, endedAt: "0001-01-01T00:00:00Z" }));
    expect([started_at, ended_at]).toEqual([undefined, undefined]);
  });

  it("carries no payload and no stack in a list", () => {
    const wire = run({
      input: { secret: 1 },
      output: { b: 2 },
      error: { message: "boom", stack: "at x.ts:1" },
    });
    const text = JSON.stringify(toRunSummary(wire));
    expect(text).toContain("boom");
    expect(text).not.toMatch(/secret|"b"|x\.ts/);
    expect(toRun(wire).error?.stack).toBe("at x.ts:1");
  });

  it("reads a REST row whose error is plain text, and leaves payload keys alone", () => {
    const wire = ConnectRun.parse(
      restRunRow({ id: "run_1", function_id: "f", error: "boom", input: { user_id: 7 } }),
    );
    expect(toRun(wire)).toMatchObject({
      function_id: "f",
      error: { message: "boom" },
      input: { user_id: 7 },
    });
  });
});

describe("a step", () => {
  it("takes the full duration when there is one, zero included", () => {
    expect(toStep(step({ durationMs: 1, durationMsFull: "4294967296" })).duration_ms).toBe(4_294_967_296);
    expect(toStep(step({ durationMs: 1, durationMsFull: "0" })).duration_ms).toBe(0);
    expect(toStep(step({ durationMs: 12 })).duration_ms).toBe(12);
    expect(toStep(step({}))).not.toHaveProperty("duration_ms");
  });

  it("keeps its own id and shows the name that the code wrote", () => {
    expect(toStep(step({ stepId: "run_1:charge:0" }))).toMatchObject({
      step_id: "run_1:charge:0",
      name: "charge",
    });
  });
});

describe("an error", () => {
  it.each([
    [
      { message: "boom", code: "X", retryable: false },
      { message: "boom", code: "X", retryable: false },
    ],
    ["boom", { message: "boom" }],
    ['{"message":"boom","code":"X"}', { message: "boom", code: "X" }],
    ["{not json", { message: "{not json" }],
    ['{"other":1}', { message: '{"other":1}' }],
    [["a", 1], { message: '["a",1]' }],
    [7, { message: "7" }],
    ["", undefined],
    [null, undefined],
    [undefined, undefined],
  ])("is read from %o", (wire, expected) => {
    expect(errorInfo(wire)).toEqual(expected);
  });
});
