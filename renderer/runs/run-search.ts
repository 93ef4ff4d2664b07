import * as z from "zod/v4";
import type { ToolOutput } from "../../mcp/contract/tools.ts";
import { literalPattern } from "../store/literal-pattern.ts";
import { windowStart } from "../store/time-window.ts";
import type { RunFilters } from "./run-filters.ts";

/** So many of the newest runs that match are shown. */
export const FOUND_MAX = 200;

/** A run that was found by what is in it. Times as the engine writes them. */
export type FoundRun = {
  readonly id: string;
  readonly function_id: string;
  readonly status: string;
  readonly created_at: string;
  readonly event_name: string;
};
export type FoundRuns = { readonly rows: readonly FoundRun[]; readonly more: boolean };

const Row = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string().nullable()]);

/** A text as a literal of the engine's SQL: nothing in it ends the literal. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const like = (column: string, text: string): string =>
  `${column} like ${quoted(`%${literalPattern(text)}%`)} escape '\\'`;

/**
 * The query for runs in which a text occurs: in the name of their event, their input, output or error. The engine's list
 * cannot be asked for that; its tables can. One row more than is shown tells that there are more.
 */
export function searchQuery(filters: RunFilters, nowMs: number): string {
  const since = windowStart(filters.window, nowMs);
  const text = filters.text.trim();
  const conditions = [
    `(${["e.name", "r.input", "r.output", "r.error"].map((column) => like(column, text)).join(" or ")})`,
    ...(filters.status.length === 0 ? [] : [`r.status in (${filters.status.map(quoted).join(", ")})`]),
    ...(filters.functionId === "" ? [] : [`r.function_id = ${quoted(filters.functionId)}`]),
    ...(filters.eventId === "" ? [] : [`r.event_id = ${quoted(filters.eventId)}`]),
    ...(filters.search.trim() === "" ? [] : [like("r.id", filters.search.trim())]),
    ...(since === undefined ? [] : [`r.created_at >= ${quoted(since)}`]),
  ];
  return [
    "select r.id, r.function_id, r.status, r.created_at, e.name",
    "from runs r left join events e on e.id = r.event_id",
    `where ${conditions.join(" and ")}`,
    `order by r.created_at desc limit ${FOUND_MAX + 1}`,
  ].join(" ");
}

/** The rows of such a query, or undefined where the engine's answer has another shape. */
export function readFound({ rows }: Pick<ToolOutput<"ironflow_sql_query">, "rows">): FoundRuns | undefined {
  const parsed = z.array(Row).safeParse(rows);
  if (!parsed.success) return undefined;
  return {
    rows: parsed.data.slice(0, FOUND_MAX).map(([id, function_id, status, created_at, name]) => ({
      id,
      function_id,
      status,
      created_at,
      event_name: name ?? "",
    })),
    more: parsed.data.length > FOUND_MAX,
  };
}
