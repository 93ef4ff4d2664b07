import { expect, test } from "vitest";
import { eventFiltersInput, eventFiltersQuery, readEventFilters } from "./event-filters.ts";

const input = (name: string, search = "") => eventFiltersInput({ name, search, window: "all" }, 0);

test("one name is a part of a name, several are whole names", () => {
  expect(input("order")).toEqual({ name: "order" });
  expect(input("order.placed, order.failed")).toEqual({ names: "order.placed,order.failed" });
  expect(input("order.placed,")).toEqual({ names: "order.placed" });
  expect(input(" , ")).toEqual({});
});

test("the engine's wildcards are the characters that were typed", () => {
  expect(input("50%_\\", "a_b")).toEqual({ name: "50\\%\\_\\\\", search: "a\\_b" });
});

test("a time window becomes a start, and what is in the address comes back", () => {
  const filters = { name: "a", search: "b", window: "24h" as const };
  expect(eventFiltersInput(filters, 86_400_000)).toMatchObject({ since: "1970-01-01T00:00:00.000Z" });
  expect(readEventFilters(eventFiltersQuery(filters))).toEqual(filters);
});
