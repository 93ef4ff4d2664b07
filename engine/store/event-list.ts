import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Bindable, Database } from "./database.ts";
import type { EventRow } from "./events.ts";
import { toLikePattern } from "./like.ts";

export interface EventFilter {
  environmentId: string;
  /** Pattern found anywhere in the name. */
  name?: string | undefined;
  /** Exact names. */
  names?: readonly string[] | undefined;
  /** Pattern found anywhere in the id. */
  search?: string | undefined;
  source?: string | undefined;
  /** Inclusive. */
  sinceMs?: number | undefined;
  /** Exclusive. */
  untilMs?: number | undefined;
}

export interface EventPage {
  /** Newest first. */
  events: EventRow[];
  /** There are older events than the last of this page. */
  hasNext: boolean;
  /** There are newer events than the first of this page, as far as the question can tell (a cold page never says so). */
  hasPrev: boolean;
  nextCursor?: string;
  prevCursor?: string;
  /** At most `COUNT_CAP`. */
  total: number;
  totalCapped: boolean;
}

/** Counting stops here: beyond it nobody reads the number, and the count would cost more than the page. */
export const COUNT_CAP = 10_000;

function conditions(filter: EventFilter): { where: string[]; values: Bindable[] } {
  const where = ["environment_id = ?"];
  const values: Bindable[] = [filter.environmentId];
  const add = (sql: string, ...more: Bindable[]) => {
    where.push(sql);
    values.push(...more);
  };
  if (filter.names !== undefined) add(`name in (${filter.names.map(() => "?").join(",")})`, ...filter.names);
  if (filter.name !== undefined) add("name like ? escape '\\'", toLikePattern(filter.name));
  if (filter.search !== undefined) add("id like ? escape '\\'", toLikePattern(filter.search));
  if (filter.source !== undefined) add("source = ?", filter.source);
  if (filter.sinceMs !== undefined) add("timestamp >= ?", filter.sinceMs);
  if (filter.untilMs !== undefined) add("timestamp < ?", filter.untilMs);
  return { where, values };
}

/** One page, newest first. `cursor` walks to older events, `before` to newer ones; the caller sends at most one. */
export function listEvents(
  db: Database,
  filter: EventFilter,
  page: { limit: number; cursor?: string | undefined; before?: string | undefined },
): EventPage {
  const { where, values } = conditions(filter);
  const count = db
    .prepare<{ n: number }>(
      `select count(*) as n from (select 1 from events where ${where.join(" and ")} limit ${COUNT_CAP + 1})`,
    )
    .get(...values);
  const total = count?.n ?? 0;

  const newer = page.before !== undefined;
  const token = page.before ?? page.cursor;
  const { where: own, values: ownValues } = conditions({ ...filter, names: undefined });
  if (token !== undefined) {
    const position = decodeCursor(token, newer ? "before" : "cursor");
    own.push(`(timestamp, id) ${newer ? ">" : "<"} (?, ?)`);
    ownValues.push(position.atMs, position.id);
  }
  const order = newer ? "timestamp asc, id asc" : "timestamp desc, id desc";
  // One branch per name walks the index by name; left alone, SQLite would rather walk all events in the list's order.
  const branches = filter.names === undefined ? [undefined] : [...new Set(filter.names)];
  const parts = branches.map((name) => {
    const where = name === undefined ? own : [...own, "name = ?"];
    return `select * from (select seq, timestamp, id from events where ${where.join(" and ")} order by ${order} limit ?)`;
  });
  const wanted = page.limit + 1;
  const rows = db
    .prepare<EventRow>(
      `select events.* from (select seq from (${parts.join(" union all ")}) order by ${order} limit ?) as page
       join events on events.seq = page.seq order by ${order.replace(/timestamp|id/g, "events.$&")}`,
    )
    .all(
      ...branches.flatMap((name) => [...ownValues, ...(name === undefined ? [] : [name]), wanted]),
      wanted,
    );
  const more = rows.length > page.limit;
  const events = rows.slice(0, page.limit);
  if (newer) events.reverse();

  const first = events[0];
  const last = events.at(-1);
  const hasNext = events.length > 0 && (newer || more);
  const hasPrev = events.length > 0 && (newer ? more : page.cursor !== undefined);
  return {
    events,
    hasNext,
    hasPrev,
    ...(hasNext && last !== undefined
      ? { nextCursor: encodeCursor({ atMs: last.timestamp, id: last.id }) }
      : {}),
    ...(hasPrev && first !== undefined
      ? { prevCursor: encodeCursor({ atMs: first.timestamp, id: first.id }) }
      : {}),
    total: Math.min(total, COUNT_CAP),
    totalCapped: total > COUNT_CAP,
  };
}

/** How many events `countNames` looks at, newest first. */
export const NAMES_SCAN_CAP = 100_000;

/** The names of the newest events and how often each occurs, most frequent first. */
export function countNames(
  db: Database,
  filter: Pick<EventFilter, "environmentId" | "source" | "sinceMs" | "untilMs">,
): { names: { name: string; count: number }[]; scanned: number; truncated: boolean } {
  const { where, values } = conditions(filter);
  const names = db
    .prepare<{ name: string; count: number }>(
      `select name, count(*) as count from
         (select name from events where ${where.join(" and ")} order by timestamp desc, id desc limit ${NAMES_SCAN_CAP})
       group by name order by count desc, name`,
    )
    .all(...values);
  const scanned = names.reduce((sum, { count }) => sum + count, 0);
  return { names, scanned, truncated: scanned === NAMES_SCAN_CAP };
}
