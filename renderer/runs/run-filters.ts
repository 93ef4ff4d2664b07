import type { Query } from "../store/route.ts";
import { literalPattern } from "../store/literal-pattern.ts";
import { DEFAULT_WINDOW, readWindow, type TimeWindow } from "../store/time-window.ts";

export type RunFilters = {
  readonly status: readonly string[];
  /** A function's id, or "" for every function. */
  readonly functionId: string;
  /** Part of a run id. */
  readonly search: string;
  /** The event that started the runs, or "". */
  readonly eventId: string;
  readonly window: TimeWindow;
};

export function readRunFilters(query: Query): RunFilters {
  return {
    status: (query["status"] ?? "").split(",").filter((word) => word !== ""),
    functionId: query["function"] ?? "",
    search: query["search"] ?? "",
    eventId: query["event"] ?? "",
    window: readWindow(query["window"]),
  };
}

export function runFiltersQuery(filters: RunFilters): Query {
  return {
    status: filters.status.join(","),
    function: filters.functionId,
    search: filters.search,
    event: filters.eventId,
    window: filters.window === DEFAULT_WINDOW ? "" : filters.window,
  };
}

export const isFiltered = (filters: RunFilters): boolean =>
  filters.status.length > 0 || filters.functionId !== "" || filters.search !== "" || filters.eventId !== "";

/** The filters as `ironflow_list_runs` takes them, time bounds aside. */
export function runFiltersInput(filters: RunFilters): Record<string, string> {
  return {
    ...(filters.status.length > 0 && { status: filters.status.join(",") }),
    ...(filters.functionId !== "" && { function_id: filters.functionId }),
    ...(filters.search !== "" && { search: literalPattern(filters.search.trim()) }),
    ...(filters.eventId !== "" && { event_id: filters.eventId }),
  };
}
