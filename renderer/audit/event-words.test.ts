import { expect, test } from "vitest";
import { ConsentOutcome } from "../../mcp/contract/errors.ts";
import { eventWords } from "./event-words.ts";

test("every event has words of its own, every outcome of a question among them", () => {
  const events = [
    "mcp.call",
    "mcp.result",
    "mcp.refused",
    "panic.on",
    "panic.off",
    ...["asked", "remembered", ...ConsentOutcome.options].map((outcome) => `consent.${outcome}`),
  ];
  const words = events.map(eventWords);
  expect(words.filter((word, at) => word === events[at])).toEqual([]);
  expect(new Set(words).size).toBe(events.length);
});

test("an event of a newer version is shown as it is", () => {
  expect(eventWords("mcp.paused")).toBe("mcp.paused");
  expect(eventWords("constructor")).toBe("constructor");
});
