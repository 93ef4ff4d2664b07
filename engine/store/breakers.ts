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

export interface BreakerTable {
  all(): BreakerRow[];
  put(row: BreakerRow): void;
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
  return {
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
