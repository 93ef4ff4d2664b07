import type { AuditQuery } from "../../electron/contract/audit.ts";
import { readWindow, windowStart, type TimeWindow } from "../store/time-window.ts";
import type { Query } from "../store/route.ts";

/** Groups of events, as the audit's query takes them; a trailing dot is a beginning. */
export const EVENT_KINDS = [
  "",
  "mcp.",
  "mcp.call",
  "mcp.result",
  "mcp.refused",
  "consent.",
  "engine.",
  "panic.",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const EVENT_WORDS: Record<EventKind, string> = {
  "": "Every event",
  "mcp.": "All calls",
  "mcp.call": "Calls begun",
  "mcp.result": "Outcomes",
  "mcp.refused": "Refusals",
  "consent.": "Questions",
  "engine.": "Engines",
  "panic.": "Everything stopped",
};

export type AuditFilters = {
  readonly event: EventKind;
  readonly user: string;
  /** A tool's exact name, or "". */
  readonly tool: string;
  /** One call, or "". */
  readonly call: string;
  readonly window: TimeWindow;
};

export const isAuditFiltered = ({ event, user, tool, call }: AuditFilters): boolean =>
  event !== "" || user !== "" || tool !== "" || call !== "";

export function readAuditFilters(query: Query): AuditFilters {
  return {
    event: EVENT_KINDS.find((kind) => kind === query["event"]) ?? "",
    user: query["user"] ?? "",
    tool: query["tool"] ?? "",
    call: query["call"] ?? "",
    window: query["window"] === undefined || query["window"] === "" ? "all" : readWindow(query["window"]),
  };
}

export const auditFiltersQuery = (filters: AuditFilters): Query => ({
  event: filters.event,
  user: filters.user,
  tool: filters.tool,
  call: filters.call,
  window: filters.window === "all" ? "" : filters.window,
});

/** The query of main. A bare name is a token's; `user` is the person. */
export function auditQuery(filters: AuditFilters, nowMs: number): Partial<AuditQuery> {
  const name = filters.user.trim();
  const user = name === "user" || name === "unknown" || name.startsWith("token:") ? name : `token:${name}`;
  const since = windowStart(filters.window, nowMs);
  return {
    ...(filters.event === "" ? {} : { event: filters.event }),
    ...(name === "" ? {} : { user }),
    ...(filters.tool.trim() === "" ? {} : { tool: filters.tool.trim() }),
    ...(filters.call === "" ? {} : { call_id: filters.call }),
    ...(since === undefined ? {} : { since }),
  };
}
