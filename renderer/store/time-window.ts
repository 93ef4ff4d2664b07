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

export const readWindow = (text: string | undefined): TimeWindow =>
  WINDOWS.find((window) => window === text) ?? DEFAULT_WINDOW;

/** Start of a window as RFC 3339, or undefined for `all`. */
export const windowStart = (window: TimeWindow, nowMs: number): string | undefined =>
  window === "all" ? undefined : new Date(nowMs - WINDOW_MS[window]).toISOString();
