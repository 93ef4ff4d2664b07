import type { Database } from "./database.ts";

/** One delivery of one event. A row is there until the delivery succeeded or was discarded. */
export interface OutboxRow {
  seq: number;
  id: string;
  environment_id: string;
  event_id: string;
  topic: string;
  /** `entity`: to those who follow the entity. `event`: to functions and those who follow the event's name. */
  kind: "entity" | "event";
  entity_id: string;
  /** Deliveries that failed. */
  attempts: number;
  last_error: string | null;
  created_at: number;
  /** When it is tried next; null for a dead one. */
  due_at: number | null;
  dead_at: number | null;
}

/** A dead delivery and what is known of its event, which may be gone. */
export type DeadOutboxRow = OutboxRow & { event_data: string | null; event_metadata: string | null };

export interface OutboxTable {
  add(
    row: Pick<OutboxRow, "id" | "environment_id" | "event_id" | "topic" | "kind" | "entity_id">,
    nowMs: number,
  ): void;
  get(seq: number): OutboxRow | undefined;
  /** Deliveries that are due, in their order. One that stands behind a delivery that waits for its next try waits too. */
  due(nowMs: number, limit: number): OutboxRow[];
  /** When the next delivery can be made, ms since 1970. */
  nextDue(): number | undefined;
  delete(seq: number): void;
  failed(seq: number, change: Pick<OutboxRow, "attempts" | "last_error" | "due_at" | "dead_at">): void;
  /** Deliveries of an event that are not made yet, dead ones included. */
  byEvent(environmentId: string, eventId: string): OutboxRow[];
  /** Newest dead ones first. */
  dead(
    environmentId: string,
    page: { limit: number; offset: number },
  ): { items: DeadOutboxRow[]; total: number };
  /** Moves all tries that are to come. */
  shift(byMs: number): void;
  /** Makes the dead deliveries of an event due. How many there were. */
  revive(environmentId: string, eventId: string, nowMs: number): number;
  /** Forgets the dead deliveries of an event. How many there were. */
  discard(environmentId: string, eventId: string): number;
  /** Forgets the deliveries of an entity's events of before a version. */
  deleteBelow(environmentId: string, entityId: string, version: number): void;
  /** Replaces what went wrong with an event's deliveries. */
  redactByEvent(environmentId: string, eventId: string, replace: (text: string) => string): void;
}

export function createOutboxTable(db: Database): OutboxTable {
  const add = db.prepare(
    `insert into outbox (id, environment_id, event_id, topic, kind, entity_id, created_at, due_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const get = db.prepare<OutboxRow>("select * from outbox where seq = ?");
  const due = db.prepare<OutboxRow>(
    `select * from outbox where due_at <= ?1 and not exists (
       select 1 from outbox as earlier where earlier.environment_id = outbox.environment_id
         and earlier.entity_id = outbox.entity_id and earlier.kind = outbox.kind
         and earlier.seq < outbox.seq and earlier.due_at > ?1)
     order by seq limit ?2`,
  );
  const nextDue = db.prepare<{ at: number }>(
    `select due_at as at from outbox where due_at is not null and not exists (
       select 1 from outbox as earlier where earlier.environment_id = outbox.environment_id
         and earlier.entity_id = outbox.entity_id and earlier.kind = outbox.kind
         and earlier.seq < outbox.seq and earlier.due_at > outbox.due_at)
     order by due_at limit 1`,
  );
  const remove = db.prepare("delete from outbox where seq = ?");
  const failed = db.prepare(
    "update outbox set attempts = ?, last_error = ?, due_at = ?, dead_at = ? where seq = ?",
  );
  const byEvent = db.prepare<OutboxRow>(
    "select * from outbox where environment_id = ? and event_id = ? order by seq",
  );
  const dead = db.prepare<DeadOutboxRow>(
    `select outbox.*, events.data as event_data, events.metadata as event_metadata
     from outbox left join events on events.id = outbox.event_id
     where outbox.environment_id = ? and dead_at is not null order by dead_at desc, outbox.seq desc limit ? offset ?`,
  );
  const countDead = db.prepare<{ n: number }>(
    "select count(*) as n from outbox where environment_id = ? and dead_at is not null",
  );
  const ofEvent = "environment_id = ? and event_id = ? and dead_at is not null";
  const revive = db.prepare(`update outbox set attempts = 0, due_at = ?, dead_at = null where ${ofEvent}`);
  const discard = db.prepare(`delete from outbox where ${ofEvent}`);
  const shift = db.prepare("update outbox set due_at = due_at + ? where due_at is not null");
  const deleteBelow = db.prepare(
    `delete from outbox where environment_id = ?1 and entity_id = ?2 and event_id in
       (select id from events where environment_id = ?1 and entity_id = ?2 and entity_version < ?3)`,
  );
  const setError = db.prepare("update outbox set last_error = ? where seq = ?");
  return {
    add: (r, nowMs) => {
      add.run(r.id, r.environment_id, r.event_id, r.topic, r.kind, r.entity_id, nowMs, nowMs);
    },
    get: (seq) => get.get(seq),
    due: (nowMs, limit) => due.all(nowMs, limit),
    nextDue: () => nextDue.get()?.at,
    delete: (seq) => {
      remove.run(seq);
    },
    failed: (seq, change) => {
      failed.run(change.attempts, change.last_error, change.due_at, change.dead_at, seq);
    },
    byEvent: (environmentId, eventId) => byEvent.all(environmentId, eventId),
    dead: (environmentId, page) => ({
      items: dead.all(environmentId, page.limit, page.offset),
      total: countDead.get(environmentId)?.n ?? 0,
    }),
    revive: (environmentId, eventId, nowMs) => revive.run(nowMs, environmentId, eventId),
    discard: (environmentId, eventId) => discard.run(environmentId, eventId),
    shift: (byMs) => {
      shift.run(byMs);
    },
    deleteBelow: (environmentId, entityId, version) => {
      deleteBelow.run(environmentId, entityId, version);
    },
    redactByEvent: (environmentId, eventId, replace) => {
      for (const row of byEvent.all(environmentId, eventId)) {
        if (row.last_error !== null) setError.run(replace(row.last_error), row.seq);
      }
    },
  };
}
