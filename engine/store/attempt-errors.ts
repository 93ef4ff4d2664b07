import type { Database } from "./database.ts";

export interface AttemptErrorRow {
  id: number;
  run_id: string;
  attempt: number;
  /** `function`: the function answered that it failed. `transport`: no valid answer came. */
  kind: "function" | "transport";
  /** JSON text of a RunError. */
  error: string;
  failed_at: number;
}

export interface AttemptErrorTable {
  add(row: Omit<AttemptErrorRow, "id">): void;
  /** Oldest first. */
  byRun(runId: string): AttemptErrorRow[];
  /** Replaces every error of a run. */
  redact(runId: string, replace: (error: string) => string): void;
}

export function createAttemptErrorTable(db: Database): AttemptErrorTable {
  const add = db.prepare(
    "insert into attempt_errors (run_id, attempt, kind, error, failed_at) values (?, ?, ?, ?, ?)",
  );
  const byRun = db.prepare<AttemptErrorRow>("select * from attempt_errors where run_id = ? order by id");
  const setError = db.prepare("update attempt_errors set error = ? where id = ?");
  return {
    add: (row) => {
      add.run(row.run_id, row.attempt, row.kind, row.error, row.failed_at);
    },
    byRun: (runId) => byRun.all(runId),
    redact: (runId, replace) => {
      for (const row of byRun.all(runId)) setError.run(replace(row.error), row.id);
    },
  };
}
