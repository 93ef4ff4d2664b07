import { describe, expect, test } from "vitest";
import { applyAnswer, dataOf, LOADING, mapReading, type Reading } from "./reading.ts";

const problem = { error: "no route", code: "unavailable", retryable: true };
const ready: Reading<number> = { phase: "ready", data: 1, at: 10 };

describe("applyAnswer", () => {
  test("a good answer is ready, whatever was before", () => {
    for (const before of [LOADING, ready, { phase: "failed", problem } as const]) {
      expect(applyAnswer<number>(before, { ok: true, data: 2 }, 20)).toEqual({
        phase: "ready",
        data: 2,
        at: 20,
      });
    }
  });

  test("a failure after good data keeps the data and the time it was read", () => {
    const stale = applyAnswer(ready, { ok: false, error: problem }, 20);
    expect(stale).toEqual({ phase: "stale", data: 1, at: 10, problem });
    expect(applyAnswer(stale, { ok: false, error: problem }, 30)).toEqual(stale);
  });

  test("an engine that comes up for the first time is loading, and what it had before is old", () => {
    const error = { ...problem, reason: "starting" };
    expect(applyAnswer(LOADING, { ok: false, error }, 20)).toEqual(LOADING);
    expect(applyAnswer({ phase: "failed", problem }, { ok: false, error }, 20)).toEqual(LOADING);
    expect(applyAnswer(ready, { ok: false, error }, 20)).toMatchObject({ phase: "stale", data: 1 });
  });

  test("a failure before any data is failed, never empty", () => {
    expect(applyAnswer(LOADING, { ok: false, error: problem }, 20)).toEqual({ phase: "failed", problem });
    expect(dataOf(applyAnswer(LOADING, { ok: false, error: problem }, 20))).toBeUndefined();
  });
});

test("mapReading changes data and nothing else", () => {
  expect(mapReading({ phase: "stale", data: 1, at: 10, problem }, (n) => n + 1)).toEqual({
    phase: "stale",
    data: 2,
    at: 10,
    problem,
  });
  expect(mapReading<number, number>(LOADING, (n) => n + 1)).toBe(LOADING);
});
