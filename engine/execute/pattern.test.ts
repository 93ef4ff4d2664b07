import { expect, it } from "vitest";
import { isPattern, matchesPattern } from "./pattern.ts";

it.each([
  ["order.placed", "order.placed", true],
  ["order.placed", "order.Placed", false],
  ["order.*", "order.placed", true],
  ["order.*", "order", false],
  ["order.*", "order.placed.late", false],
  ["*.placed", "order.placed", true],
  ["order.>", "order.placed.late", true],
  ["order.>", "order", false],
  [">", "anything.at.all", true],
  ["order.>.late", "order.placed.late", false],
  ["system.run.>", "system.run.run_1.step.run_1:a:0.completed", true],
  ["events:order.*", "events:order.placed", true],
  ["a*", "ab", false],
])("%s on %s: %s", (pattern, name, expected) => {
  expect(matchesPattern(pattern, name)).toBe(expected);
});

it("tells a pattern from a name that holds the same characters", () => {
  expect(["a.*", ">", "a*b", "a.b>"].map(isPattern)).toEqual([true, true, false, false]);
});
