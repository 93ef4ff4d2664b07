import type { Database } from "./database.ts";

export interface DeadLetterRow {
  seq: number;
  id: string;
  environment_id: string;
  /**
   * `routing`: a trigger or cancelOn expression threw. `resume`: the match of a wait threw. `projection_decode`: a
   * projection cannot tell the event's partition. `sql_apply`: a statement of a SQL projection failed on the event.
   * `system_event_publish`: a subscriber could not be given what it subscribed to.
   */
  source: "routing" | "resume" | "projection_decode" | "sql_apply" | "system_event_publish";
  subject: string;
  event_id: string | null;
  event_name: string | null;
  function_id: string | null;
  run_id: string | null;
  error: string;
  payload: Uint8Array;
  created_at: number;
}

export interface DeadLetterPage {
  items: DeadLetterRow[];
  total: number;
}

export interface DeadLetterTable {
  add(row: Omit<DeadLetterRow, "seq">): void;
  /** Whether this event is a dead letter of this source and subject. */
  has(source: DeadLetterRow["source"], subject: string, eventId: string): boolean;
  /** Replaces payload and error of the dead letters of an event. */
  redactByEvent(eventId: string, replace: (text: string) => string): void;
  redactByRun(runId: string, replace: (text: string) => string): void;
  /** Newest first. */
  list(
    filter: { environmentId: string; source?: string | undefined },
    page: { limit: number; offset: number },
  ): DeadLetterPage;
}

export function createDeadLetterTable(db: Database): DeadLetterTable {
  const add = db.prepare(
    `insert into dead_letters (id, environment_id, source, subject, event_id, event_name, function_id, run_id, error,
       payload, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const where = "environment_id = ?1 and (?2 is null or source = ?2)";
  const list = db.prepare<DeadLetterRow>(
    `select * from dead_letters where ${where} order by seq desc limit ?3 offset ?4`,
  );
  const count = db.prepare<{ n: number }>(`select count(*) as n from dead_letters where ${where}`);
  const byEvent = db.prepare<DeadLetterRow>("select * from dead_letters where event_id = ?");
  const byRun = db.prepare<DeadLetterRow>("select * from dead_letters where run_id = ?");
  const has = db.prepare("select 1 from dead_letters where event_id = ? and source = ? and subject = ?");
  const setTexts = db.prepare("update dead_letters set payload = ?, error = ? where seq = ?");
  const redact = (rows: DeadLetterRow[], replace: (text: string) => string) => {
    for (const row of rows) {
      const payload = replace(Buffer.from(row.payload).toString("utf8"));
      setTexts.run(Buffer.from(payload, "utf8"), replace(row.error), row.seq);
    }
  };
  return {
    redactByEvent: (eventId, replace) => redact(byEvent.all(eventId), replace),
    redactByRun: (runId, replace) => redact(byRun.all(runId), replace),
    has: (source, subject, eventId) => has.get(eventId, source, subject) !== undefined,
    add: (r) => {
      add.run(
        r.id,
        r.environment_id,
        r.source,
        r.subject,
        r.event_id,
        r.event_name,
        r.function_id,
        r.run_id,
        r.error,
        r.payload,
        r.created_at,
      );
    },
    list: (filter, page) => {
      const source = filter.source ?? null;
      return {
        items: list.all(filter.environmentId, source, page.limit, page.offset),
        total: count.get(filter.environmentId, source)?.n ?? 0,
      };
    },
  };
}
