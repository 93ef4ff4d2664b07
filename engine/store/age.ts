import type { Database } from "./database.ts";

/**
 * Forgets old rows. Events that a run, wait or debounce still refers to stay; so do those of entity streams, which are the
 * entity, and the newest event of all, for the next one's number counts on from it. Each answers how many rows went.
 */
export interface AgeTable {
  /** Events, idempotency keys of those, dead letters, notes of webhook deliveries and audit rows of before a moment. */
  deleteBefore(environmentId: string, beforeMs: number, limit: number): number;
  /** The oldest events beyond `keep`, but none from `beforeMs` on. */
  deleteSurplusEvents(environmentId: string, keep: number, beforeMs: number, limit: number): number;
}

export function createAgeTable(db: Database): AgeTable {
  const free = `not exists (select 1 from runs where runs.event_id = events.id)
    and not exists (select 1 from debounces where debounces.event_id = events.id)
    and not exists (select 1 from routing_slices where routing_slices.event_id = events.id)
    and entity_id is null and seq < (select max(seq) from events)`;
  const events = db.prepare(
    `delete from events where seq in (select seq from events
       where environment_id = ? and timestamp < ? and ${free} order by timestamp, id limit ?)`,
  );
  const keys = db.prepare(
    `delete from idempotency where (environment_id, operation, subject, key) in
       (select environment_id, operation, subject, key from idempotency
        where environment_id = ? and created_at < ? limit ?)`,
  );
  const letters = db.prepare(
    "delete from dead_letters where seq in (select seq from dead_letters where environment_id = ? and created_at < ? limit ?)",
  );
  const messages = db.prepare(
    "delete from topic_messages where seq in (select seq from topic_messages where environment_id = ? and created_at < ? limit ?)",
  );
  const deliveries = db.prepare(
    "delete from webhook_deliveries where seq in (select seq from webhook_deliveries where environment_id = ? and received_at < ? limit ?)",
  );
  const audit = db.prepare(
    "delete from audit where seq in (select seq from audit where environment_id = ? and created_at < ? limit ?)",
  );
  const bound = db.prepare<{ timestamp: number; id: string }>(
    `select timestamp, id from events where environment_id = ? order by timestamp desc, id desc limit 1 offset ?`,
  );
  const surplus = db.prepare(
    `delete from events where seq in (select seq from events
       where environment_id = ? and timestamp < ? and (timestamp, id) <= (?, ?) and ${free}
       order by timestamp, id limit ?)`,
  );
  return {
    deleteBefore: (environmentId, beforeMs, limit) =>
      [events, keys, letters, messages, deliveries, audit].reduce(
        (gone, statement) => gone + statement.run(environmentId, beforeMs, limit),
        0,
      ),
    deleteSurplusEvents: (environmentId, keep, beforeMs, limit) => {
      const last = bound.get(environmentId, keep);
      return last === undefined ? 0 : surplus.run(environmentId, beforeMs, last.timestamp, last.id, limit);
    },
  };
}
