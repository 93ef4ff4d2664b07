import type { BreakerState } from "../contract/enums.ts";
import type { Database } from "./database.ts";

export interface BreakerRow {
  key: string;
  environment_id: string;
  function_id: string;
  endpoint: string;
  state: BreakerState;
  consecutive_fails: number;
  opened_at: number | null;
  last_failure_at: number | null;
  last_failure_reason: string | null;
  updated_at: number;
}

export interface BreakerFailureRow {
  id: number;
  key: string;
  run_id: string | null;
  reason: string;
  /** This failure opened the breaker. */
  opened: number;
  failed_at: number;
}

/** Older failures of a breaker are forgotten. */
export const BREAKER_FAILURES_KEPT = 100;

export interface BreakerTable {
  all(): BreakerRow[];
  put(row: BreakerRow): void;
  /** Keeps one failure; recovery and reset leave it. */
  addFailure(row: Omit<BreakerFailureRow, "id">): void;
  failuresOfRun(key: string, runId: string): BreakerFailureRow[];
  setReason(id: number, reason: string): void;
  /** Newest first. */
  failures(key: string, limit: number): BreakerFailureRow[];
}

export function createBreakerTable(db: Database): BreakerTable {
  const all = db.prepare<BreakerRow>("select * from breakers order by key");
  const put = db.prepare(
    `insert into breakers (key, environment_id, function_id, endpoint, state, consecutive_fails, opened_at,
       last_failure_at, last_failure_reason, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (key) do update set state = excluded.state, consecutive_fails = excluded.consecutive_fails,
       opened_at = excluded.opened_at, last_failure_at = excluded.last_failure_at,
       last_failure_reason = excluded.last_failure_reason, updated_at = excluded.updated_at`,
  );
  const addFailure = db.prepare(
    "insert into breaker_failures (key, run_id, reason, opened, failed_at) values (?, ?, ?, ?, ?)",
  );
  const forget = db.prepare(
    `delete from breaker_failures where key = ?1 and id <=
       (select id from breaker_failures where key = ?1 order by id desc limit 1 offset ${BREAKER_FAILURES_KEPT})`,
  );
  const failuresOfRun = db.prepare<BreakerFailureRow>(
    "select * from breaker_failures where key = ? and run_id = ? order by id",
  );
  const setReason = db.prepare("update breaker_failures set reason = ? where id = ?");
  const failures = db.prepare<BreakerFailureRow>(
    "select * from breaker_failures where key = ? order by id desc limit ?",
  );
  return {
    addFailure: (r) => {
      addFailure.run(r.key, r.run_id, r.reason, r.opened, r.failed_at);
      forget.run(r.key);
    },
    failuresOfRun: (key, runId) => failuresOfRun.all(key, runId),
    setReason: (id, reason) => {
      setReason.run(reason, id);
    },
    failures: (key, limit) => failures.all(key, limit),
    all: () => all.all(),
    put: (r) => {
      put.run(
        r.key,
        r.environment_id,
        r.function_id,
        r.endpoint,
        r.state,
        r.consecutive_fails,
        r.opened_at,
        r.last_failure_at,
        r.last_failure_reason,
        r.updated_at,
      );
    },
  };
}
