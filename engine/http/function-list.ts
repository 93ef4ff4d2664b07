import * as z from "zod/v4";
import type { FunctionStatus } from "../contract/enums.ts";
import { ApiError } from "../errors.ts";
import type { RegisteredFunction } from "../execute/registry.ts";

export interface FunctionFilter {
  status?: FunctionStatus | undefined;
  /** Found anywhere in id or name, whatever the case. */
  name?: string | undefined;
  mode?: string | undefined;
}

/** Functions are few and in memory: filtered and paged there. A cursor is the last id of the page before. */
export function pageOfFunctions(
  all: readonly RegisteredFunction[],
  filter: FunctionFilter,
  page: { limit: number; cursor?: string | undefined; offset?: number | undefined },
): { functions: RegisteredFunction[]; nextCursor: string; total: number } {
  const wanted = filter.name?.toLowerCase();
  const found = all.filter(
    ({ row, config }) =>
      (filter.status === undefined || row.status === filter.status) &&
      (filter.mode === undefined || config.preferredMode === filter.mode) &&
      (wanted === undefined || `${row.id}\n${config.name ?? ""}`.toLowerCase().includes(wanted)),
  );
  const after = page.cursor === undefined ? undefined : readCursor(page.cursor);
  const rest = found.filter(({ row }) => after === undefined || row.id > after).slice(page.offset ?? 0);
  const functions = rest.slice(0, page.limit);
  const last = functions.at(-1);
  const more = rest.length > functions.length && last !== undefined;
  return {
    functions,
    nextCursor: more ? Buffer.from(JSON.stringify([last.row.id])).toString("base64url") : "",
    total: found.length,
  };
}

function readCursor(cursor: string): string {
  try {
    return z.tuple([z.string()]).parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")))[0];
  } catch {
    throw new ApiError("invalid_argument", "cursor: not a cursor of this list");
  }
}
