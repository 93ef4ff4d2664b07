import type { Database } from "./database.ts";

export interface RebuildRow {
  seq: number;
  id: string;
  environment_id: string;
  name: string;
  status: "running" | "completed" | "cancelled" | "failed";
  /** What it builds. */
  generation: number;
  /** The table it fills, for a SQL projection. */
  physical_table: string | null;
  /** As asked for; "" when not asked for. */
  from_event_id: string;
  to_event_id: string;
  partition_key: string;
  /** Events that were there at the start are replayed between these two, inclusive. */
  from_seq: number;
  to_seq: number;
  /** The newest event when the rebuild began; all later ones belong to it. */
  target_seq: number;
  /** Every event of the rebuild up to here is in the new generation. */
  cursor_seq: number;
  last_event_seq: number;
  last_event_id: string | null;
  events_processed: number;
  total_events: number;
  error: string | null;
  started_at: number;
  ended_at: number | null;
}

export interface RebuildTable {
  insert(row: Omit<RebuildRow, "seq">): void;
  get(id: string): RebuildRow | undefined;
  /** The newest rebuild of a projection. */
  latest(environmentId: string, name: string): RebuildRow | undefined;
  /** When the newest rebuild ended that made the states of a partition what is served. */
  lastCompletedAt(of: { environment_id: string; name: string }, partition: string): number | undefined;
  update(row: RebuildRow): void;
  /** Forgets all but the newest rebuilds of a projection. */
  keepNewest(environmentId: string, name: string, kept: number): void;
}

export function createRebuildTable(db: Database): RebuildTable {
  const insert = db.prepare(
    `insert into rebuild_jobs (id, environment_id, name, status, generation, physical_table, from_event_id, to_event_id,
       partition_key, from_seq, to_seq, target_seq, cursor_seq, last_event_seq, last_event_id, events_processed,
       total_events, error, started_at, ended_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const get = db.prepare<RebuildRow>("select * from rebuild_jobs where id = ?");
  const latest = db.prepare<RebuildRow>(
    "select * from rebuild_jobs where environment_id = ? and name = ? order by seq desc limit 1",
  );
  const lastCompletedAt = db.prepare<{ at: number }>(
    `select ended_at as at from rebuild_jobs where environment_id = ? and name = ? and status = 'completed'
       and partition_key in ('', ?) order by seq desc limit 1`,
  );
  const update = db.prepare(
    `update rebuild_jobs set status = ?, cursor_seq = ?, last_event_seq = ?, last_event_id = ?, events_processed = ?,
       total_events = ?, error = ?, ended_at = ? where seq = ?`,
  );
  const forget = db.prepare(
    `delete from rebuild_jobs where environment_id = ?1 and name = ?2 and seq not in (select seq from rebuild_jobs
       where environment_id = ?1 and name = ?2 order by seq desc limit ?3)`,
  );
  return {
    insert: (r) => {
      insert.run(
        r.id,
        r.environment_id,
        r.name,
        r.status,
        r.generation,
        r.physical_table,
        r.from_event_id,
        r.to_event_id,
        r.partition_key,
        r.from_seq,
        r.to_seq,
        r.target_seq,
        r.cursor_seq,
        r.last_event_seq,
        r.last_event_id,
        r.events_processed,
        r.total_events,
        r.error,
        r.started_at,
        r.ended_at,
      );
    },
    get: (id) => get.get(id),
    latest: (environmentId, name) => latest.get(environmentId, name),
    lastCompletedAt: (of, partition) => lastCompletedAt.get(of.environment_id, of.name, partition)?.at,
    update: (r) => {
      update.run(
        r.status,
        r.cursor_seq,
        r.last_event_seq,
        r.last_event_id,
        r.events_processed,
        r.total_events,
        r.error,
        r.ended_at,
        r.seq,
      );
    },
    keepNewest: (environmentId, name, kept) => {
      forget.run(environmentId, name, kept);
    },
  };
}
