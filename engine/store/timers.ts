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
  /** The earliest timers that are due. */
  due(nowMs: number, limit: number): TimerRow[];
  /** When the next timer is due, ms since 1970. */
  next(): number | undefined;
  delete(id: number): void;
  deleteByRun(runId: string): void;
}

export function createTimerTable(db: Database): TimerTable {
  const add = db.prepare("insert into timers (due_at, kind, run_id, step_id) values (?, ?, ?, ?)");
  const due = db.prepare<TimerRow>("select * from timers where due_at <= ? order by due_at, id limit ?");
  const next = db.prepare<{ due_at: number }>("select due_at from timers order by due_at limit 1");
  const remove = db.prepare("delete from timers where id = ?");
  const removeByRun = db.prepare("delete from timers where run_id = ?");
  return {
    add: (timer) => {
      add.run(timer.due_at, timer.kind, timer.run_id, timer.step_id);
    },
    due: (nowMs, limit) => due.all(nowMs, limit),
    next: () => next.get()?.due_at,
    delete: (id) => {
      remove.run(id);
    },
    deleteByRun: (runId) => {
      removeByRun.run(runId);
    },
  };
}
