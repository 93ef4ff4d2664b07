import type { RunStatus } from "../contract/enums.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Bindable, Database } from "./database.ts";
import { searchedList, searchIds, type Found } from "./id-search.ts";
import { idRange } from "./like.ts";
import type { RunRow } from "./runs.ts";

export interface RunFilter {
  environmentId: string;
  functionId?: string | undefined;
  /** Any of these; absent or empty means all. */
  statuses?: readonly RunStatus[] | undefined;
  eventId?: string | undefined;
  /** Pattern found anywhere in the run's id. */
  search?: string | undefined;
  /** Inclusive, on creation time. */
  sinceMs?: number | undefined;
  /** Exclusive, on creation time. */
  untilMs?: number | undefined;
}

export interface RunPage {
  /** Newest first. */
  runs: RunRow[];
  nextCursor: string;
  total: number;
}

/** SQLite's own name for the index of the unique column `id`, the first such column of the table. */
export const ID_INDEX = "sqlite_autoindex_runs_1";

/** A filter that no counter answers is counted up to here. */
export const RUN_COUNT_CAP = 10_000;

interface Part {
  where: string[];
  values: Bindable[];
}

/** Conditions that hold for every branch of the query, whatever index it walks. */
function common(filter: RunFilter): Part {
  const part: Part = { where: ["environment_id = ?"], values: [filter.environmentId] };
  const add = (sql: string, value: Bindable) => {
    part.where.push(sql);
    part.values.push(value);
  };
  if (filter.functionId !== undefined) add("function_id = ?", filter.functionId);
  if (filter.eventId !== undefined) add("event_id = ?", filter.eventId);
  const range = filter.search === undefined ? undefined : idRange(filter.search, "run_");
  if (range !== undefined) {
    add("id >= ?", range.from);
    add("id < ?", range.to);
  }
  if (filter.sinceMs !== undefined) add("created_at >= ?", filter.sinceMs);
  if (filter.untilMs !== undefined) add("created_at < ?", filter.untilMs);
  return part;
}

/**
 * One branch per status, each walking an index that already has the list's order; merging their heads needs no sort of
 * the whole. Without status one branch walks the time index, or that of the function.
 */
function branches(filter: RunFilter): (RunStatus | undefined)[] {
  if (filter.statuses !== undefined && filter.statuses.length > 0) return [...new Set(filter.statuses)];
  return [undefined];
}

export interface RunPageAsked {
  limit: number;
  cursor?: string | undefined;
  /** Counts from the cursor. */
  offset?: number | undefined;
}

/**
 * One page of runs, newest first. A search text that no index answers takes its time, and nothing waits for it; it ends
 * when the caller is `gone`.
 * @throws ApiError for a cursor that is none
 */
export function findRuns(
  db: Database,
  filter: RunFilter,
  page: RunPageAsked,
  gone: AbortSignal,
): Promise<RunPage> | RunPage {
  const { search } = filter;
  if (search === undefined || idRange(search, "run_") !== undefined) return listRuns(db, filter, page);
  return searchRuns(db, { ...filter, search }, page, gone);
}

async function searchRuns(
  db: Database,
  filter: RunFilter & { search: string },
  page: RunPageAsked,
  gone: AbortSignal,
): Promise<RunPage> {
  const from = page.cursor === undefined ? undefined : decodeCursor(page.cursor, "cursor");
  const statuses = filter.statuses ?? [];
  const list = searchedList("runs", filter, (rest) => {
    const part = common(rest);
    if (statuses.length > 0) {
      part.where.push(`status in (${statuses.map(() => "?").join(",")})`);
      part.values.push(...statuses);
    }
    return part;
  });
  const found: Found[] = [];
  let total = 0;
  let skip = page.offset ?? 0;
  await searchIds(db, list, gone, (row) => {
    total += 1;
    const behind = from === undefined || row.at < from.atMs || (row.at === from.atMs && row.id < from.id);
    if (behind && found.length <= page.limit) {
      if (skip > 0) skip -= 1;
      else found.push(row);
    }
    return found.length <= page.limit || total < RUN_COUNT_CAP;
  });
  const bySeq = db.prepare<RunRow>("select * from runs where seq = ?");
  // One may have been deleted since it was found.
  const runs = found.slice(0, page.limit).flatMap(({ seq }) => bySeq.get(seq) ?? []);
  const last = found[page.limit - 1];
  const more = found.length > page.limit && last !== undefined;
  return {
    runs,
    nextCursor: more ? encodeCursor({ atMs: last.at, id: last.id }) : "",
    total: Math.min(total, RUN_COUNT_CAP),
  };
}

/** A page that an index answers. */
function listRuns(db: Database, filter: RunFilter, page: RunPageAsked): RunPage {
  const base = common(filter);
  const countBase = { where: [...base.where], values: [...base.values] };
  if (page.cursor !== undefined) {
    const position = decodeCursor(page.cursor, "cursor");
    base.where.push("(created_at, id) < (?, ?)");
    base.values.push(position.atMs, position.id);
  }
  const offset = page.offset ?? 0;
  const wanted = page.limit + 1;
  const statuses = branches(filter);
  // An event starts few runs; left alone, SQLite would rather walk all runs in the list's order.
  const byId = filter.search !== undefined && idRange(filter.search, "run_") !== undefined;
  const table =
    filter.eventId !== undefined
      ? "runs indexed by runs_by_event"
      : byId
        ? `runs indexed by ${ID_INDEX}`
        : "runs";
  const parts = statuses.map((status) => {
    const where = status === undefined ? base.where : [...base.where, "status = ?"];
    return `select * from (select seq, created_at, id from ${table} where ${where.join(" and ")}
      order by created_at desc, id desc limit ?)`;
  });
  const values = statuses.flatMap((status) => [
    ...base.values,
    ...(status === undefined ? [] : [status]),
    wanted + offset,
  ]);
  const rows = db
    .prepare<RunRow>(
      `select runs.* from (select seq from (${parts.join(" union all ")}) order by created_at desc, id desc limit ? offset ?)
       as page join runs on runs.seq = page.seq order by runs.created_at desc, runs.id desc`,
    )
    .all(...values, wanted, offset);
  const runs = rows.slice(0, page.limit);
  const last = runs.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  // The first page held all there is: counting would look for it once more.
  const whole = page.cursor === undefined && offset === 0 && !more;
  const total = whole ? runs.length : countRuns(db, filter, countBase);
  return { runs, nextCursor: more ? encodeCursor({ atMs: last.created_at, id: last.id }) : "", total };
}

function countRuns(db: Database, filter: RunFilter, base: Part): number {
  const { eventId, search, sinceMs, untilMs } = filter;
  const counted = [eventId, search, sinceMs, untilMs].every((condition) => condition === undefined);
  const statuses = filter.statuses ?? [];
  if (counted) {
    const where = ["environment_id = ?"];
    const values: Bindable[] = [filter.environmentId];
    if (filter.functionId !== undefined) {
      where.push("function_id = ?");
      values.push(filter.functionId);
    }
    if (statuses.length > 0) {
      where.push(`status in (${statuses.map(() => "?").join(",")})`);
      values.push(...statuses);
    }
    const sql = `select coalesce(sum(runs), 0) as n from run_counts where ${where.join(" and ")}`;
    return db.prepare<{ n: number }>(sql).get(...values)?.n ?? 0;
  }
  const where = [...base.where];
  const values = [...base.values];
  if (statuses.length > 0) {
    where.push(`status in (${statuses.map(() => "?").join(",")})`);
    values.push(...statuses);
  }
  const sql = `select count(*) as n from (select 1 from runs where ${where.join(" and ")} limit ${RUN_COUNT_CAP})`;
  return db.prepare<{ n: number }>(sql).get(...values)?.n ?? 0;
}

/** The oldest runs in one of the statuses, for deleting them. */
export function oldestRuns(
  db: Database,
  wanted: {
    environmentId: string;
    functionId?: string | undefined;
    statuses: readonly RunStatus[];
    untilMs?: number | undefined;
    limit: number;
  },
): RunRow[] {
  const { where, values } = common(wanted);
  const parts = wanted.statuses.map(
    () =>
      `select * from (select seq, created_at, id from runs where ${where.join(" and ")} and status = ?
       order by created_at, id limit ?)`,
  );
  return db
    .prepare<RunRow>(
      `select runs.* from (select seq from (${parts.join(" union all ")}) order by created_at, id limit ?) as page
       join runs on runs.seq = page.seq order by runs.created_at, runs.id`,
    )
    .all(...wanted.statuses.flatMap((status) => [...values, status, wanted.limit]), wanted.limit);
}
