import { decodeCursor, encodeCursor, type Position } from "./cursor.ts";
import type { Bindable, Database } from "./database.ts";
import type { EventRow } from "./events.ts";
import { searchedList, searchIds, type Found } from "./id-search.ts";
import { idRange, toLikePattern } from "./like.ts";

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
  const range = filter.search === undefined ? undefined : idRange(filter.search, "evt_");
  if (range !== undefined) add("id >= ? and id < ?", range.from, range.to);
  if (filter.source !== undefined) add("source = ?", filter.source);
  if (filter.sinceMs !== undefined) add("timestamp >= ?", filter.sinceMs);
  if (filter.untilMs !== undefined) add("timestamp < ?", filter.untilMs);
  return { where, values };
}

/** A pattern that more names than this have is found soon enough without the list of names. */
const maxNamesOfPattern = 200;

/** Turns the pattern for names into the names it stands for: names are few, events are many. */
function withNames(db: Database, filter: EventFilter): EventFilter {
  if (filter.name === undefined) return filter;
  const names = db
    .prepare<{ name: string }>(
      `select name from event_names where environment_id = ? and name like ? escape '\\' limit ${maxNamesOfPattern + 1}`,
    )
    .all(filter.environmentId, toLikePattern(filter.name))
    .map(({ name }) => name);
  if (names.length > maxNamesOfPattern) return filter;
  const wanted = filter.names === undefined ? names : names.filter((name) => filter.names?.includes(name));
  return { ...filter, name: undefined, names: wanted };
}

/** Left alone, SQLite would rather walk all events in the list's order than those whose id begins right. */
function tableFor(filter: EventFilter): string {
  const byId = filter.search !== undefined && idRange(filter.search, "evt_") !== undefined;
  // SQLite's own name for the index of the unique column `id`.
  return byId ? "events indexed by sqlite_autoindex_events_1" : "events";
}

function countEvents(db: Database, filter: EventFilter): number {
  const { where, values } = conditions(filter);
  const count = db
    .prepare<{ n: number }>(
      `select count(*) as n from (select 1 from ${tableFor(filter)} where ${where.join(" and ")} limit ${COUNT_CAP + 1})`,
    )
    .get(...values);
  return count?.n ?? 0;
}

export interface EventPageAsked {
  limit: number;
  cursor?: string | undefined;
  before?: string | undefined;
}

/**
 * One page, newest first. `cursor` walks to older events, `before` to newer ones; the caller sends at most one. A search
 * text that no index answers takes its time, and nothing waits for it; it ends when the caller is `gone`.
 * @throws ApiError for a cursor that is none
 */
export function findEvents(
  db: Database,
  asked: EventFilter,
  page: EventPageAsked,
  gone: AbortSignal,
): Promise<EventPage> | EventPage {
  const filter = withNames(db, asked);
  const { search } = filter;
  if (search === undefined || idRange(search, "evt_") !== undefined) return listEvents(db, filter, page);
  return searchEvents(db, { ...filter, search }, page, gone);
}

async function searchEvents(
  db: Database,
  filter: EventFilter & { search: string },
  page: EventPageAsked,
  gone: AbortSignal,
): Promise<EventPage> {
  const newer = page.before !== undefined;
  const token = page.before ?? page.cursor;
  const place = token === undefined ? undefined : decodeCursor(token, newer ? "before" : "cursor");
  const list = searchedList("events", filter, conditions);
  const found: Found[] = [];
  let total = 0;
  await searchIds(db, list, gone, (row) => {
    total += 1;
    if (place === undefined || isBeside(row, place, newer)) {
      if (newer || found.length <= page.limit) found.push(row);
      // Of the newer ones those next to the place count.
      if (newer && found.length > page.limit + 1) found.shift();
    }
    return (
      total <= COUNT_CAP ||
      (newer ? place !== undefined && isBeside(row, place, true) : found.length <= page.limit)
    );
  });
  const more = found.length > page.limit;
  const shown = !more ? found : newer ? found.slice(1) : found.slice(0, page.limit);
  const bySeq = db.prepare<EventRow>("select * from events where seq = ?");
  // One may have been deleted since it was found.
  const events = shown.flatMap(({ seq }) => bySeq.get(seq) ?? []);
  return toPage(events, { page, more, total });
}

function isBeside(row: Found, place: Position, newer: boolean): boolean {
  const order = row.at - place.atMs || (row.id < place.id ? -1 : row.id > place.id ? 1 : 0);
  return newer ? order > 0 : order < 0;
}

/** A page that an index answers. */
function listEvents(db: Database, filter: EventFilter, page: EventPageAsked): EventPage {
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
  if (branches.length === 0) {
    return { events: [], hasNext: false, hasPrev: false, total: 0, totalCapped: false };
  }
  const parts = branches.map((name) => {
    const where = name === undefined ? own : [...own, "name = ?"];
    return `select * from (select seq, timestamp, id from ${tableFor(filter)} where ${where.join(" and ")} order by ${order} limit ?)`;
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

  // The first page held all there is: counting would look for it once more.
  const total = token === undefined && !more ? events.length : countEvents(db, filter);
  return toPage(events, { page, more, total });
}

/** `more`: there are events beyond the page, in the direction in which it was asked for. */
function toPage(
  events: EventRow[],
  { page, more, total }: { page: EventPageAsked; more: boolean; total: number },
): EventPage {
  const newer = page.before !== undefined;
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

/** How many events `countNames` looks at, newest first, once it has to look at events at all. */
export const NAMES_SCAN_CAP = 100_000;

/** The names of the newest events and how often each occurs, most frequent first. */
export function countNames(
  db: Database,
  filter: Pick<EventFilter, "environmentId" | "source" | "sinceMs" | "untilMs">,
): { names: { name: string; count: number }[]; scanned: number; truncated: boolean } {
  const { where, values } = conditions(filter);
  const { environmentId, source, sinceMs, untilMs } = filter;
  if ([source, sinceMs, untilMs].every((condition) => condition === undefined)) {
    const counted = db
      .prepare<{ name: string; count: number }>(
        `select name, events as count from event_names where environment_id = ? order by events desc, name`,
      )
      .all(environmentId);
    return { names: counted, scanned: counted.reduce((sum, { count }) => sum + count, 0), truncated: false };
  }
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
