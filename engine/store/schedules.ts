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
  get(environmentId: string, functionId: string, expression: string): ScheduleRow | undefined;
  all(): ScheduleRow[];
  /** The schedules whose time comes first, due or not. */
  earliest(limit: number): ScheduleRow[];
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
  const get = db.prepare<ScheduleRow>(
    "select * from schedules where environment_id = ? and function_id = ? and expression = ?",
  );
  const all = db.prepare<ScheduleRow>("select * from schedules");
  const earliest = db.prepare<ScheduleRow>("select * from schedules order by next_at limit ?");
  const remove = db.prepare(
    "delete from schedules where environment_id = ? and function_id = ? and expression = ?",
  );
  return {
    byFunction: (environmentId, functionId) => byFunction.all(environmentId, functionId),
    put: (r) => {
      put.run(r.environment_id, r.function_id, r.expression, r.next_at, r.last_at);
    },
    get: (environmentId, functionId, expression) => get.get(environmentId, functionId, expression),
    all: () => all.all(),
    earliest: (limit) => earliest.all(limit),
    delete: (environmentId, functionId, expression) => {
      remove.run(environmentId, functionId, expression);
    },
  };
}
