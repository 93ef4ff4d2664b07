import type { Database } from "./database.ts";

/** What a group has not acknowledged yet. */
export interface DeliveryRow {
  seq: number;
  group_id: string;
  /** `topic:{name}` or `events:{name}`. */
  topic: string;
  /** The message's or event's id. */
  message_id: string;
  /** How often it was given to a member. */
  attempts: number;
  /** `ready` for any member; `sent` to one, until its time is over; `resting` until it may come again. */
  state: "ready" | "sent" | "resting";
  member: string | null;
  /** When `sent` or `resting` ends. */
  due_at: number | null;
}

export interface DeliveryTable {
  add(groupId: string, topic: string, messageId: string): void;
  get(seq: number): DeliveryRow | undefined;
  /** The oldest that a member may be given. */
  ready(groupId: string, limit: number): DeliveryRow[];
  /** The delivery of a message that this member holds. */
  held(groupId: string, member: string, messageId: string): DeliveryRow | undefined;
  heldBy(member: string): DeliveryRow[];
  /** Whose time comes first, due or not. */
  earliest(limit: number): DeliveryRow[];
  put(row: Pick<DeliveryRow, "seq" | "attempts" | "state" | "member" | "due_at">): void;
  delete(seq: number): void;
  /** How many messages of the topic the group of this environment lacks that is furthest behind. */
  lag(environmentId: string, topic: string): number;
  /** After a stop of the engine nobody holds anything: what was under way counts as not given. */
  releaseAll(): number;
  shift(byMs: number): void;
}

export function createDeliveryTable(db: Database): DeliveryTable {
  const add = db.prepare(
    `insert into group_deliveries (group_id, topic, message_id, attempts, state) values (?, ?, ?, 0, 'ready')
     on conflict do nothing`,
  );
  const get = db.prepare<DeliveryRow>("select * from group_deliveries where seq = ?");
  const ready = db.prepare<DeliveryRow>(
    "select * from group_deliveries where group_id = ? and state = 'ready' order by seq limit ?",
  );
  const held = db.prepare<DeliveryRow>(
    "select * from group_deliveries where member = ? and group_id = ? and message_id = ? and state = 'sent'",
  );
  const heldBy = db.prepare<DeliveryRow>("select * from group_deliveries where member = ? order by seq");
  const earliest = db.prepare<DeliveryRow>(
    "select * from group_deliveries where due_at is not null order by due_at, seq limit ?",
  );
  const put = db.prepare(
    "update group_deliveries set attempts = ?, state = ?, member = ?, due_at = ? where seq = ?",
  );
  const remove = db.prepare("delete from group_deliveries where seq = ?");
  const lag = db.prepare<{ n: number }>(
    `select count(*) as n from group_deliveries d join consumer_groups g on g.id = d.group_id
     where d.topic = ? and g.environment_id = ? group by d.group_id order by n desc limit 1`,
  );
  const release = db.prepare(
    `update group_deliveries set state = 'ready', member = null, due_at = null, attempts = max(attempts - 1, 0)
     where state = 'sent'`,
  );
  const shift = db.prepare("update group_deliveries set due_at = due_at + ? where due_at is not null");
  return {
    add: (groupId, topic, messageId) => {
      add.run(groupId, topic, messageId);
    },
    get: (seq) => get.get(seq),
    ready: (groupId, limit) => ready.all(groupId, limit),
    held: (groupId, member, messageId) => held.get(member, groupId, messageId),
    heldBy: (member) => heldBy.all(member),
    earliest: (limit) => earliest.all(limit),
    put: (row) => {
      put.run(row.attempts, row.state, row.member, row.due_at, row.seq);
    },
    delete: (seq) => {
      remove.run(seq);
    },
    lag: (environmentId, topic) => lag.get(topic, environmentId)?.n ?? 0,
    releaseAll: () => release.run(),
    shift: (byMs) => {
      shift.run(byMs);
    },
  };
}
