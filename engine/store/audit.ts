import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Bindable, Database } from "./database.ts";

/** One thing that happened to a run, step, event, function or environment, written with the change itself. */
export interface AuditRow {
  seq: number;
  id: string;
  environment_id: string;
  /** `run.created`, `step.completed`, `event.redacted`, ... */
  event_type: string;
  run_id: string | null;
  function_id: string | null;
  step_id: string | null;
  /** JSON text. */
  payload: string;
  created_at: number;
  /** The key on whose behalf it was done; null for what the engine did by itself, and without a key. */
  api_key_id: string | null;
}

export interface AuditFilter {
  environmentId: string;
  runId?: string | undefined;
  functionId?: string | undefined;
  eventType?: string | undefined;
  apiKeyId?: string | undefined;
  /** Only what is told of keys and of who was refused. */
  auth?: true | undefined;
  /** Inclusive. */
  fromMs?: number | undefined;
  /** Exclusive. */
  toMs?: number | undefined;
}

export interface AuditTable {
  add(row: Omit<AuditRow, "seq">): void;
  /** Newest first. The total stops at `AUDIT_COUNT_CAP`. */
  list(
    filter: AuditFilter,
    page: { limit: number; cursor?: string | undefined },
  ): { rows: AuditRow[]; nextCursor: string; total: number };
  byRun(runId: string): AuditRow[];
  /** When the newest row was written, ms since 1970. */
  lastAt(): number | undefined;
  setPayload(seq: number, payload: string): void;
  deleteByRun(runId: string): void;
}

export const AUDIT_COUNT_CAP = 10_000;

export function createAuditTable(db: Database): AuditTable {
  const add = db.prepare(
    `insert into audit (id, environment_id, event_type, run_id, function_id, step_id, payload, created_at,
       api_key_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const byRun = db.prepare<AuditRow>("select * from audit where run_id = ? order by seq");
  const last = db.prepare<{ created_at: number }>("select created_at from audit order by seq desc limit 1");
  const setPayload = db.prepare("update audit set payload = ? where seq = ?");
  const deleteByRun = db.prepare("delete from audit where run_id = ?");
  return {
    add: (r) => {
      add.run(
        r.id,
        r.environment_id,
        r.event_type,
        r.run_id,
        r.function_id,
        r.step_id,
        r.payload,
        r.created_at,
        r.api_key_id,
      );
    },
    list: (filter, page) => {
      const where = ["environment_id = ?"];
      const values: Bindable[] = [filter.environmentId];
      const add = (sql: string, value: Bindable | undefined) => {
        if (value === undefined) return;
        where.push(sql);
        values.push(value);
      };
      add("run_id = ?", filter.runId);
      add("function_id = ?", filter.functionId);
      add("event_type = ?", filter.eventType);
      add("api_key_id = ?", filter.apiKeyId);
      // Word for word the condition of its index.
      if (filter.auth === true) where.push("event_type >= 'auth.' and event_type < 'auth/'");
      add("created_at >= ?", filter.fromMs);
      add("created_at < ?", filter.toMs);
      const total =
        db
          .prepare<{ n: number }>(
            `select count(*) as n from (select 1 from audit where ${where.join(" and ")} limit ${AUDIT_COUNT_CAP})`,
          )
          .get(...values)?.n ?? 0;
      if (page.cursor !== undefined) add("seq < ?", decodeCursor(page.cursor, "cursor").atMs);
      const rows = db
        .prepare<AuditRow>(`select * from audit where ${where.join(" and ")} order by seq desc limit ?`)
        .all(...values, page.limit + 1);
      const shown = rows.slice(0, page.limit);
      const last = shown.at(-1);
      const more = rows.length > page.limit && last !== undefined;
      return { rows: shown, nextCursor: more ? encodeCursor({ atMs: last.seq, id: last.id }) : "", total };
    },
    byRun: (runId) => byRun.all(runId),
    lastAt: () => last.get()?.created_at,
    setPayload: (seq, payload) => {
      setPayload.run(payload, seq);
    },
    deleteByRun: (runId) => {
      deleteByRun.run(runId);
    },
  };
}
