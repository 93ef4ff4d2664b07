import type { Database } from "./database.ts";

/** When a function's cron trigger fires next. */
export interface ScheduleRow {
  environment_id: string;
  function_id: string;
  expression: string;
  next_at: number;
  last_at: number | null;
}

export interface ScheduleTable {
  byFunction(environmentId: string, functionId: string): ScheduleRow[];
  put(row: ScheduleRow): void;
  due(nowMs: number, limit: number): ScheduleRow[];
  /** When the next one is due, ms since 1970. */
  next(): number | undefined;
  delete(environmentId: string, functionId: string, expression: string): void;
}

export function createScheduleTable(db: Database): ScheduleTable {
  const byFunction = db.prepare<ScheduleRow>(
    "select * from schedules where environment_id = ? and function_id = ? order by expression",
  );
  const put = db.prepare(
    `insert into schedules (environment_id, function_id, expression, next_at, last_at) values (?, ?, ?, ?, ?)
     on conflict do update set next_at = excluded.next_at, last_at = excluded.last_at`,
  );
  const due = db.prepare<ScheduleRow>("select * from schedules where next_at <= ? order by next_at limit ?");
  const next = db.prepare<{ next_at: number }>("select next_at from schedules order by next_at limit 1");
  const remove = db.prepare(
    "delete from schedules where environment_id = ? and function_id = ? and expression = ?",
  );
  return {
    byFunction: (environmentId, functionId) => byFunction.all(environmentId, functionId),
    put: (r) => {
      put.run(r.environment_id, r.function_id, r.expression, r.next_at, r.last_at);
    },
    due: (nowMs, limit) => due.all(nowMs, limit),
    next: () => next.get()?.next_at,
    delete: (environmentId, functionId, expression) => {
      remove.run(environmentId, functionId, expression);
    },
  };
}
