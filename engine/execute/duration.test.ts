import { expect, it } from "vitest";
import { parseDurationMs } from "./duration.ts";

it.each([
  ["7d", 604_800_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1_500],
  ["250ms", 250],
  ["0s", 0],
  ["2w", 1_209_600_000],
])("reads %s as %i ms", (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

it.each(["", "7", "d", "-1s", "1 h", "1y", "99999999w", "1s".repeat(40), "1s!"])("refuses %j", (text) => {
  expect(parseDurationMs(text)).toBeUndefined();
});
