import type { Database } from "./database.ts";

export interface EventRow {
  seq: number;
  id: string;
  environment_id: string;
  name: string;
  /** JSON text. */
  data: string;
  /** JSON text of an object. */
  metadata: string | null;
  source: string;
  version: number;
  idempotency_key: string | null;
  run_id: string | null;
  timestamp: number;
  /** The entity whose stream the event belongs to, and its number in there, from 1. All null outside of streams. */
  entity_id: string | null;
  entity_type: string | null;
  entity_version: number | null;
}

/** An event without its data. */
export type EventPlace = Pick<EventRow, "seq" | "id" | "name" | "timestamp">;

type Entity = "entity_id" | "entity_type" | "entity_version";

export type NewEvent = Omit<EventRow, "seq" | Entity> & Partial<Pick<EventRow, Entity>>;

export interface EventTable {
  /** The event's number among all events. */
  insert(event: NewEvent): number;
  get(environmentId: string, id: string): EventRow | undefined;
  /** Of one name or of all, the newest first. */
  newest(environmentId: string, name: string | undefined, limit: number): EventPlace[];
  /** Puts other JSON text in the place of data and metadata. */
  redact(id: string, data: string, metadata: string | null): void;
}

export function createEventTable(db: Database): EventTable {
  const insert = db.prepare<{ seq: number }>(
    `insert into events (id, environment_id, name, data, metadata, source, version, idempotency_key, run_id, timestamp,
       entity_id, entity_type, entity_version)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning seq`,
  );
  const places = "select seq, id, name, timestamp from events where environment_id = ?";
  const newestFirst = "order by timestamp desc, id desc limit ?";
  const newestOfAll = db.prepare<EventPlace>(`${places} ${newestFirst}`);
  const newestOfOne = db.prepare<EventPlace>(`${places} and name = ? ${newestFirst}`);
  const get = db.prepare<EventRow>("select * from events where id = ? and environment_id = ?");
  const redact = db.prepare("update events set data = ?, metadata = ? where id = ?");
  return {
    redact: (id, data, metadata) => {
      redact.run(data, metadata, id);
    },
    insert: (e) => {
      const row = insert.get(
        e.id,
        e.environment_id,
        e.name,
        e.data,
        e.metadata,
        e.source,
        e.version,
        e.idempotency_key,
        e.run_id,
        e.timestamp,
        e.entity_id ?? null,
        e.entity_type ?? null,
        e.entity_version ?? null,
      );
      if (row === undefined) throw new Error(`event ${e.id} was not stored`);
      return row.seq;
    },
    newest: (environmentId, name, limit) =>
      name === undefined
        ? newestOfAll.all(environmentId, limit)
        : newestOfOne.all(environmentId, name, limit),
    get: (environmentId, id) => get.get(id, environmentId),
  };
}
