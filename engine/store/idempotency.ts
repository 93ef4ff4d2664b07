import type { Database } from "./database.ts";

/** What an emit, invoke or append answered: the same key gets the same answer again. */
export interface Remembered {
  eventId: string;
  runIds: string[];
}

/** Where a key counts: an emit's key belongs to its event name, an invoke's to its function, an append's to its entity, a publish's to its topic. */
export interface IdempotencyScope {
  environmentId: string;
  operation: "emit" | "invoke" | "append" | "publish";
  subject: string;
  key: string;
}

export interface IdempotencyTable {
  get(scope: IdempotencyScope): Remembered | undefined;
  put(scope: IdempotencyScope, answer: Remembered, nowMs: number): void;
  /** The runs of a key's event, once all of them are known. */
  setRuns(scope: IdempotencyScope, eventId: string, runIds: readonly string[]): void;
}

export function createIdempotencyTable(db: Database): IdempotencyTable {
  const get = db.prepare<{ event_id: string; run_ids: string }>(
    `select event_id, run_ids from idempotency
     where environment_id = ? and operation = ? and subject = ? and key = ?`,
  );
  const put = db.prepare(
    `insert into idempotency (environment_id, operation, subject, key, event_id, run_ids, created_at)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const setRuns = db.prepare(
    `update idempotency set run_ids = ?
     where environment_id = ? and operation = ? and subject = ? and key = ? and event_id = ?`,
  );
  return {
    get: (s) => {
      const row = get.get(s.environmentId, s.operation, s.subject, s.key);
      return row === undefined
        ? undefined
        : { eventId: row.event_id, runIds: JSON.parse(row.run_ids) as string[] };
    },
    put: (s, answer, nowMs) => {
      put.run(
        s.environmentId,
        s.operation,
        s.subject,
        s.key,
        answer.eventId,
        JSON.stringify(answer.runIds),
        nowMs,
      );
    },
    setRuns: (s, eventId, runIds) => {
      setRuns.run(JSON.stringify(runIds), s.environmentId, s.operation, s.subject, s.key, eventId);
    },
  };
}
