import { expect, it } from "vitest";
import type { BreakerRow } from "../store/breakers.ts";
import { afterFailure, closed, halfOpen, probeAtMs } from "./breaker-state.ts";

const fresh: BreakerRow = {
  key: "k",
  environment_id: "env_default",
  function_id: "f",
  endpoint: "http://f.test",
  state: "closed",
  consecutive_fails: 0,
  opened_at: null,
  last_failure_at: null,
  last_failure_reason: null,
  updated_at: 0,
};

const failures = (n: number) => {
  let row = fresh;
  for (let i = 1; i <= n; i += 1) row = afterFailure(row, false, `failure ${i}`, i);
  return row;
};

it("stays closed at four failures in a row and opens at five", () => {
  expect(failures(4)).toMatchObject({ state: "closed", consecutive_fails: 4, opened_at: null });
  expect(failures(5)).toMatchObject({
    state: "open",
    consecutive_fails: 5,
    opened_at: 5,
    last_failure_reason: "failure 5",
  });
  expect(probeAtMs(failures(5))).toBe(60_005);
});

it("is not prolonged by late failures of calls from before it opened", () => {
  const late = afterFailure(failures(5), false, "late", 100);
  expect(late).toMatchObject({
    state: "open",
    opened_at: 5,
    consecutive_fails: 6,
    last_failure_reason: "late",
  });
});

it("opens again when its probe fails, and not when an older call does", () => {
  const half = halfOpen(failures(5), 60_005);
  expect(afterFailure(half, true, "probe", 60_006)).toMatchObject({ state: "open", opened_at: 60_006 });
  expect(afterFailure(half, false, "old call", 60_006)).toMatchObject({ state: "half-open", opened_at: 5 });
});

it("keeps the failure history when it closes", () => {
  expect(closed(failures(5), 9)).toMatchObject({
    state: "closed",
    consecutive_fails: 0,
    opened_at: null,
    last_failure_at: 5,
    last_failure_reason: "failure 5",
  });
});

it("bounds the reason", () => {
  expect(afterFailure(fresh, false, "x".repeat(2_000), 1).last_failure_reason).toHaveLength(500);
});
