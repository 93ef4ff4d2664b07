import { expect, test } from "vitest";
import { ListRunsInput } from "../../mcp/contract/tools/runs.ts";
import { idFilter, readRunFilters, runFiltersInput, runFiltersQuery } from "./run-filters.ts";
import { literalPattern } from "../store/literal-pattern.ts";
import { windowStart } from "../store/time-window.ts";

const all = {
  status: "failed,paused",
  function: "order.fulfil",
  search: "50%_\\",
  text: "o'clock",
  event: "evt_1",
  window: "24h",
};

test("filters in the address come back as they were", () => {
  expect(runFiltersQuery(readRunFilters(all))).toEqual(all);
});

test("an unknown window is the default one, so a list always has a window", () => {
  expect(readRunFilters({ window: "century" }).window).toBe("7d");
});

test("the tool takes every filter, and wildcards are the characters that were typed", () => {
  const input = runFiltersInput(readRunFilters(all));
  expect(ListRunsInput.safeParse(input).success).toBe(true);
  expect(input).toEqual({
    status: "failed,paused",
    function_id: "order.fulfil",
    search: "50\\%\\_\\\\",
    event_id: "evt_1",
  });
  expect(runFiltersInput(readRunFilters({}))).toEqual({});
  expect(literalPattern("a")).toBe("a");
});

test("an id that was typed is an event's where it looks like a whole one, else part of a run's", () => {
  expect(idFilter(" evt_01m8qj8cnz7662b7r1ws1c8wbt ")).toEqual({
    search: "",
    eventId: "evt_01m8qj8cnz7662b7r1ws1c8wbt",
  });
  for (const part of ["evt_", "run_01", "01m8", ""])
    expect(idFilter(part)).toEqual({ search: part, eventId: "" });
});

test("a window starts that long ago, all time has no start", () => {
  expect(windowStart("1h", 3_600_000)).toBe("1970-01-01T00:00:00.000Z");
  expect(windowStart("all", 0)).toBeUndefined();
});
