import { expect, it } from "vitest";
import { matchesTopic } from "./pattern.ts";

it.each([
  ["events:>", "events:order.placed", true],
  ["events:*", "events:ping", true],
  ["events:*", "events:order.placed", false],
  ["events:order.*", "events:order.placed", true],
  ["events:order.placed", "events:order.placed", true],
  ["events:>", "system.run.run_1.created", false],
  ["system.run.>", "system.run.run_1.created", true],
  ["system.run.>", "events:system.run", false],
])("the pattern %s on the topic %s: %s", (pattern, topic, expected) => {
  expect(matchesTopic(pattern, topic)).toBe(expected);
});
