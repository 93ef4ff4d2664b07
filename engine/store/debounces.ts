import type { Database } from "./database.ts";

/** Events of one function and key that are held until none came for a while; only the newest will start a run. */
export interface DebounceRow {
  environment_id: string;
  function_id: string;
  key: string;
  /** The newest event. */
  event_id: string;
  /** How many events came. */
  events: number;
  first_at: number;
  due_at: number;
}

export interface DebounceTable {
  get(environmentId: string, functionId: string, key: string): DebounceRow | undefined;
  put(row: DebounceRow): void;
  list(environmentId: string): DebounceRow[];
  /** The entries whose time comes first, due or not. */
  earliest(limit: number): DebounceRow[];
  /** Moves the times of all entries. */
  shift(byMs: number): void;
  byEvent(eventId: string): DebounceRow[];
  /** False when there was none. */
  delete(environmentId: string, functionId: string, key: string): boolean;
  deleteByFunction(environmentId: string, functionId: string): void;
}

/** A page of this list is not worth more. */
const maxListed = 1_000;

export function createDebounceTable(db: Database): DebounceTable {
  const get = db.prepare<DebounceRow>(
    "select * from debounces where environment_id = ? and function_id = ? and key = ?",
  );
  const put = db.prepare(
    `insert into debounces (environment_id, function_id, key, event_id, events, first_at, due_at)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set event_id = excluded.event_id, events = excluded.events, due_at = excluded.due_at`,
  );
  const list = db.prepare<DebounceRow>(
    `select * from debounces where environment_id = ? order by due_at, function_id, key limit ${maxListed}`,
  );
  const earliest = db.prepare<DebounceRow>("select * from debounces order by due_at limit ?");
  const shift = db.prepare("update debounces set first_at = first_at + ?1, due_at = due_at + ?1");
  const byEvent = db.prepare<DebounceRow>("select * from debounces where event_id = ?");
  const remove = db.prepare("delete from debounces where environment_id = ? and function_id = ? and key = ?");
  const removeByFunction = db.prepare("delete from debounces where environment_id = ? and function_id = ?");
  return {
    get: (environmentId, functionId, key) => get.get(environmentId, functionId, key),
    put: (r) => {
      put.run(r.environment_id, r.function_id, r.key, r.event_id, r.events, r.first_at, r.due_at);
    },
    list: (environmentId) => list.all(environmentId),
    earliest: (limit) => earliest.all(limit),
    shift: (byMs) => {
      shift.run(byMs);
    },
    byEvent: (eventId) => byEvent.all(eventId),
    delete: (environmentId, functionId, key) => remove.run(environmentId, functionId, key) > 0,
    deleteByFunction: (environmentId, functionId) => {
      removeByFunction.run(environmentId, functionId);
    },
  };
}
