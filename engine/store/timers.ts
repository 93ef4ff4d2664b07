import type { Database } from "./database.ts";

export type TimerKind = "retry" | "sleep" | "wait_timeout" | "invoke_timeout" | "lease";

export interface TimerRow {
  id: number;
  due_at: number;
  kind: TimerKind;
  run_id: string;
  step_id: string | null;
}

export interface TimerTable {
  add(timer: Omit<TimerRow, "id">): void;
  get(id: number): TimerRow | undefined;
  /** The timers whose time comes first, due or not. */
  earliest(limit: number): TimerRow[];
  /** Moves the times of these kinds. */
  shift(kinds: readonly TimerKind[], byMs: number): void;
  delete(id: number): void;
  deleteByRun(runId: string): void;
}

export function createTimerTable(db: Database): TimerTable {
  const add = db.prepare("insert into timers (due_at, kind, run_id, step_id) values (?, ?, ?, ?)");
  const get = db.prepare<TimerRow>("select * from timers where id = ?");
  const earliest = db.prepare<TimerRow>("select * from timers order by due_at, id limit ?");
  const shift = db.prepare(
    "update timers set due_at = due_at + ? where kind in (select value from json_each(?))",
  );
  const remove = db.prepare("delete from timers where id = ?");
  const removeByRun = db.prepare("delete from timers where run_id = ?");
  return {
    add: (timer) => {
      add.run(timer.due_at, timer.kind, timer.run_id, timer.step_id);
    },
    get: (id) => get.get(id),
    earliest: (limit) => earliest.all(limit),
    shift: (kinds, byMs) => {
      shift.run(byMs, JSON.stringify(kinds));
    },
    delete: (id) => {
      remove.run(id);
    },
    deleteByRun: (runId) => {
      removeByRun.run(runId);
    },
  };
}
