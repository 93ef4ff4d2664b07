import type { Query } from "../store/route.ts";
import { literalPattern } from "../store/literal-pattern.ts";
import { DEFAULT_WINDOW, readWindow, type TimeWindow } from "../store/time-window.ts";

export type RunFilters = {
  readonly status: readonly string[];
  /** A function's id, or "" for every function. */
  readonly functionId: string;
  /** Part of a run id. */
  readonly search: string;
  /** A text in the event's name, the input, output or error, or "". */
  readonly text: string;
  /** The event that started the runs, or "". */
  readonly eventId: string;
  readonly window: TimeWindow;
};

export function readRunFilters(query: Query): RunFilters {
  return {
    status: (query["status"] ?? "").split(",").filter((word) => word !== ""),
    functionId: query["function"] ?? "",
    search: query["search"] ?? "",
    text: query["text"] ?? "",
    eventId: query["event"] ?? "",
    window: readWindow(query["window"]),
  };
}

export function runFiltersQuery(filters: RunFilters): Query {
  return {
    status: filters.status.join(","),
    function: filters.functionId,
    search: filters.search,
    text: filters.text,
    event: filters.eventId,
    window: filters.window === DEFAULT_WINDOW ? "" : filters.window,
  };
}

export const isFiltered = (filters: RunFilters): boolean =>
  filters.status.length > 0 ||
  [filters.functionId, filters.search, filters.text, filters.eventId].some((part) => part !== "");

/** A whole event id; a part of one finds nothing, and may be a part of a run's. */
const EVENT_ID = /^evt_\S{8,}$/;

/** What was typed in the field for ids: of an event where it looks like one, else part of a run's. */
export function idFilter(typed: string): Pick<RunFilters, "search" | "eventId"> {
  const id = typed.trim();
  return EVENT_ID.test(id) ? { search: "", eventId: id } : { search: typed, eventId: "" };
}

/** The filters as `ironflow_list_runs` takes them, time bounds aside. */
export function runFiltersInput(filters: RunFilters): Record<string, string> {
  return {
    ...(filters.status.length > 0 && { status: filters.status.join(",") }),
    ...(filters.functionId !== "" && { function_id: filters.functionId }),
    ...(filters.search !== "" && { search: literalPattern(filters.search.trim()) }),
    ...(filters.eventId !== "" && { event_id: filters.eventId }),
  };
}
