import type { Database } from "./database.ts";

/** A listener as it was when the event was stored. A number may come again: it counts only with its run and step. */
export interface ListenerTarget {
  id: number;
  run_id: string;
  step_id: string | null;
}

/** A part of what an event has still to reach. */
export interface RoutingSlice {
  seq: number;
  environment_id: string;
  event_id: string;
  /** The delivery that is done with the event's last slice. */
  outbox_seq: number | null;
  listeners: ListenerTarget[];
  /** Functions that start a run, or put one off. */
  functions: string[];
}

export interface RoutingSliceTable {
  add(slice: Omit<RoutingSlice, "seq">): void;
  /** The oldest one. */
  next(): RoutingSlice | undefined;
  delete(seq: number): void;
  /** Whether an event has still something to reach. */
  has(eventId: string): boolean;
  /** The event, stored already, that has still to reach this waiting step. */
  eventFor(runId: string, stepId: string): string | undefined;
  /** Events that have. */
  events(): string[];
  /** Forgets what an entity's events of before a version have still to reach. */
  deleteBelow(environmentId: string, entityId: string, version: number): void;
}

type Row = Omit<RoutingSlice, "listeners" | "functions"> & { listeners: string; functions: string };

export function createRoutingSliceTable(db: Database): RoutingSliceTable {
  const add = db.prepare(
    "insert into routing_slices (environment_id, event_id, outbox_seq, listeners, functions) values (?, ?, ?, ?, ?)",
  );
  const next = db.prepare<Row>("select * from routing_slices order by seq limit 1");
  const remove = db.prepare("delete from routing_slices where seq = ?");
  const has = db.prepare<{ seq: number }>("select seq from routing_slices where event_id = ? limit 1");
  const eventFor = db.prepare<{ event_id: string }>(
    `select event_id from routing_slices, json_each(listeners)
     where json_extract(json_each.value, '$.run_id') = ? and json_extract(json_each.value, '$.step_id') = ?
     order by seq limit 1`,
  );
  const events = db.prepare<{ event_id: string }>("select distinct event_id from routing_slices");
  const deleteBelow = db.prepare(
    `delete from routing_slices where environment_id = ?1 and event_id in
       (select id from events where environment_id = ?1 and entity_id = ?2 and entity_version < ?3)`,
  );
  return {
    add: (s) => {
      add.run(
        s.environment_id,
        s.event_id,
        s.outbox_seq,
        JSON.stringify(s.listeners),
        JSON.stringify(s.functions),
      );
    },
    next: () => {
      const row = next.get();
      if (row === undefined) return undefined;
      return {
        ...row,
        // Written by `add` above.
        listeners: JSON.parse(row.listeners) as ListenerTarget[],
        functions: JSON.parse(row.functions) as string[],
      };
    },
    delete: (seq) => {
      remove.run(seq);
    },
    has: (eventId) => has.get(eventId) !== undefined,
    eventFor: (runId, stepId) => eventFor.get(runId, stepId)?.event_id,
    events: () => events.all().map(({ event_id }) => event_id),
    deleteBelow: (environmentId, entityId, version) => {
      deleteBelow.run(environmentId, entityId, version);
    },
  };
}
