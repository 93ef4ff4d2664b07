import { describe, expect, test } from "vitest";
import type { Run, Step } from "../../mcp/contract/domain.ts";
import { axisOf, barOf, tickLabel, ticksOf } from "./timeline.ts";

const start = Date.parse("2026-03-01T10:00:00.000Z");
const at = (offsetMs: number) => new Date(start + offsetMs).toISOString();
const run = (change: Partial<Run>): Run => ({
  id: "run_1",
  function_id: "f",
  event_id: "evt_1",
  execution_mode: "push",
  status: "running",
  attempt: 1,
  max_attempts: 3,
  created_at: at(0),
  updated_at: at(0),
  started_at: at(0),
  ...change,
});
const step = (change: Partial<Step>): Step => ({
  id: "row_1",
  run_id: "run_1",
  step_id: "s",
  name: "s",
  step_type: "invoke",
  sequence: 0,
  status: "completed",
  attempt: 1,
  ...change,
});

describe("the axis", () => {
  test("ends now while the run goes on, and at its end afterwards", () => {
    expect(axisOf(run({}), [], start + 5_000)).toEqual({ from: start, to: start + 5_000 });
    const over = run({ status: "completed", ended_at: at(2_000) });
    expect(axisOf(over, [], start + 5_000)).toEqual({ from: start, to: start + 2_000 });
  });

  test("a paused run without an end stops where it was last touched", () => {
    const paused = run({ status: "paused", updated_at: at(3_000) });
    expect(axisOf(paused, [], start + 90_000).to).toBe(start + 3_000);
  });

  test("holds more steps than a call has room for arguments", () => {
    const over = run({ status: "completed", ended_at: at(1_000) });
    const steps = Array.from({ length: 200_000 }, () => step({ started_at: at(10), ended_at: at(4_000) }));
    expect(axisOf(over, steps, start)).toEqual({ from: start, to: start + 4_000 });
  });

  test("is never a point, so nothing is divided by zero", () => {
    const axis = axisOf(run({ status: "completed", ended_at: at(0) }), [], start);
    expect(axis.to).toBeGreaterThan(axis.from);
  });
});

describe("bars", () => {
  const axis = { from: start, to: start + 1_000 };

  test("lie where the step was", () => {
    const bar = barOf(step({ started_at: at(250), ended_at: at(750) }), run({}), axis, start + 1_000);
    expect(bar).toEqual({ kind: "work", left: 0.25, width: 0.5, open: false });
  });

  test("a step that goes on reaches until now and is open", () => {
    const sleeping = step({ step_type: "sleep", status: "sleeping", started_at: at(500) });
    expect(barOf(sleeping, run({}), axis, start + 1_000)).toEqual({
      kind: "sleep",
      left: 0.5,
      width: 0.5,
      open: true,
    });
  });

  test("a step that a finished run left behind is not open", () => {
    const left = step({ status: "waiting", step_type: "wait_for_event", started_at: at(500) });
    expect(barOf(left, run({ status: "cancelled" }), axis, start + 9_000)).toMatchObject({
      open: false,
      width: 0.5,
    });
  });

  test("a step of no length can be seen, at the very end too", () => {
    const bar = barOf(step({ started_at: at(1_000), ended_at: at(1_000) }), run({}), axis, start + 1_000);
    expect(bar?.width).toBeGreaterThan(0);
    expect((bar?.left ?? 1) + (bar?.width ?? 1)).toBeLessThanOrEqual(1);
  });

  test("a step that has not begun has none", () => {
    expect(barOf(step({ status: "pending" }), run({}), axis, start)).toBeNull();
  });
});

test.each([
  [1_000, 5, [200, 400, 600, 800]],
  [7_000, 5, [2_000, 4_000, 6_000]],
  [10, 5, [2, 4, 6, 8]],
  [0.5, 5, []],
])("an axis of %d ms has round marks", (span, most, offsets) => {
  expect(ticksOf({ from: 0, to: span }, most).map(({ offsetMs }) => offsetMs)).toEqual(offsets);
});

test("a year has no more marks than asked for, and they read as days", () => {
  const ticks = ticksOf({ from: 0, to: 365 * 86_400_000 }, 6);
  expect(ticks.length).toBeLessThanOrEqual(6);
  expect(tickLabel(ticks[0]?.offsetMs ?? 0)).toMatch(/^\+\d+ d$/);
});
