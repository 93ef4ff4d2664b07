import type { Query } from "../store/route.ts";

/** How far back a list looks. A list always has a window; `all` is one the person chose. */
export const WINDOWS = ["1h", "24h", "7d", "30d", "all"] as const;
export type TimeWindow = (typeof WINDOWS)[number];

const HOUR_MS = 3_600_000;
const WINDOW_MS: Record<Exclude<TimeWindow, "all">, number> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
};
export const DEFAULT_WINDOW: TimeWindow = "7d";

export const WINDOW_WORDS: Record<TimeWindow, string> = {
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  all: "All time",
};

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

export const readWindow = (text: string | undefined): TimeWindow =>
  WINDOWS.find((window) => window === text) ?? DEFAULT_WINDOW;

/** Start of a window as RFC 3339, or undefined for `all`. */
export const windowStart = (window: TimeWindow, nowMs: number): string | undefined =>
  window === "all" ? undefined : new Date(nowMs - WINDOW_MS[window]).toISOString();

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

/** `%` and `_` are wildcards to the engine; a person who types them means the character. */
export const literalPattern = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** The filters as `ironflow_list_runs` takes them, time bounds aside. */
export function runFiltersInput(filters: RunFilters): Record<string, string> {
  return {
    ...(filters.status.length > 0 && { status: filters.status.join(",") }),
    ...(filters.functionId !== "" && { function_id: filters.functionId }),
    ...(filters.search !== "" && { search: literalPattern(filters.search.trim()) }),
    ...(filters.eventId !== "" && { event_id: filters.eventId }),
  };
}
