import { setImmediate as nextTurn } from "node:timers/promises";
import type { Bindable, Database } from "./database.ts";
import { toLikePattern } from "./like.ts";

/** The tables whose ids are searched, and the column of time that their lists are in order of. */
const TIME_OF = { runs: "created_at", events: "timestamp" } as const;

/** A list whose ids are searched. All names are this program's own. */
export interface SearchedList {
  table: keyof typeof TIME_OF;
  environmentId: string;
  search: string;
  /** Inclusive. */
  sinceMs: number | undefined;
  /** Exclusive. */
  untilMs: number | undefined;
  /** Further conditions on the rows. */
  where: readonly string[];
  values: readonly Bindable[];
}

interface SearchFilter {
  environmentId: string;
  search: string;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

/** The list that a filter with a search text asks for: the walk itself keeps to its text and times, `conditionsOf` says the rest. */
export function searchedList<Filter extends SearchFilter>(
  table: SearchedList["table"],
  filter: Filter,
  conditionsOf: (
    rest: Omit<Filter, "search" | "sinceMs" | "untilMs">,
  ) => Pick<SearchedList, "where" | "values">,
): SearchedList {
  const { search, sinceMs, untilMs, ...rest } = filter;
  return { table, environmentId: filter.environmentId, search, sinceMs, untilMs, ...conditionsOf(rest) };
}

export interface Found {
  seq: number;
  at: number;
  id: string;
}

/** Ids looked at in one go: it bounds the time the engine answers nothing else to a few milliseconds. */
const rowsPerTurn = 2_000;

/** One search at a time: many of them take longer, and slow nothing else down. */
const lastSearch = new WeakMap<Database, Promise<void>>();

/**
 * Looks for a pattern anywhere in the ids of a list, newest first, in turns: no index helps, and everything else goes on
 * in between. Hands each row that is found to `onFound` until that answers false, or `gone`.
 */
export async function searchIds(
  db: Database,
  list: SearchedList,
  gone: AbortSignal,
  onFound: (row: Found) => boolean,
): Promise<void> {
  const before = lastSearch.get(db);
  let end = () => {};
  lastSearch.set(
    db,
    new Promise((resolve) => {
      end = resolve;
    }),
  );
  try {
    await before;
    await walk(db, list, gone, onFound);
  } finally {
    end();
  }
}

async function walk(
  db: Database,
  { table, environmentId, search, sinceMs, untilMs, where, values }: SearchedList,
  gone: AbortSignal,
  onFound: (row: Found) => boolean,
): Promise<void> {
  const time = TIME_OF[table];
  // Plain bounds on both sides: with `(time, id) >= (?, ?)` SQLite would walk to the end of the index for every part.
  const bounds = `environment_id = ? and ${time} >= ? and ${time} <= ? and (${time} < ? or id < ?)`;
  const boundary = db.prepare<{ at: number; id: string }>(
    `select ${time} as at, id from ${table} where ${bounds} order by ${time} desc, id desc limit 1 offset ${rowsPerTurn - 1}`,
  );
  // The first conditions are answered by the index alone; the row itself is only read for an id that fits.
  const part = db.prepare<Found>(
    `select seq, ${time} as at, id from ${table}
     where ${bounds} and (${time} > ? or id >= ?) and id like ? escape '\\'
       ${where.map((condition) => `and ${condition}`).join(" ")}
     order by ${time} desc, id desc`,
  );
  const since = sinceMs ?? Number.MIN_SAFE_INTEGER;
  // Ids are ASCII: no id is behind this one, and none is before "".
  let from = { at: untilMs ?? Number.MAX_SAFE_INTEGER, id: "" };
  const pattern = toLikePattern(search);
  for (;;) {
    if (gone.aborted) return;
    const until = boundary.get(environmentId, since, from.at, from.at, from.id);
    const to = until ?? { at: since, id: "" };
    const rows = part.all(environmentId, to.at, from.at, from.at, from.id, to.at, to.id, pattern, ...values);
    for (const row of rows) if (!onFound(row)) return;
    if (until === undefined) return;
    from = until;
    await nextTurn();
  }
}
