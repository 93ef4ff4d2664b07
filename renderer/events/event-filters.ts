import { literalPattern } from "../store/literal-pattern.ts";
import { readWindow, windowStart, type TimeWindow, DEFAULT_WINDOW } from "../store/time-window.ts";
import type { Query } from "../store/route.ts";

export type EventFilters = {
  /** Part of a name; with a comma in it, whole names. */
  readonly name: string;
  /** Part of an event id. */
  readonly search: string;
  readonly window: TimeWindow;
};

export const readEventFilters = (query: Query): EventFilters => ({
  name: query["name"] ?? "",
  search: query["search"] ?? "",
  window: readWindow(query["window"]),
});

export const eventFiltersQuery = ({ name, search, window }: EventFilters): Query => ({
  name,
  search,
  window: window === DEFAULT_WINDOW ? "" : window,
});

export const isEventFiltered = ({ name, search }: EventFilters): boolean => name !== "" || search !== "";

/** The filters as `ironflow_list_events` takes them. Whole names are found by an index, parts of names are not. */
export function eventFiltersInput(filters: EventFilters, nowMs: number): Record<string, string> {
  const name = filters.name.trim();
  const names = name.split(",").map((part) => part.trim());
  const whole = names.length > 1 ? names.filter((part) => part !== "").join(",") : "";
  const since = windowStart(filters.window, nowMs);
  return {
    ...(whole !== "" && { names: whole }),
    ...(names.length === 1 && name !== "" && { name: literalPattern(name) }),
    ...(filters.search.trim() !== "" && { search: literalPattern(filters.search.trim()) }),
    ...(since !== undefined && { since }),
  };
}
