import type { Database } from "./database.ts";
import { toLikePattern } from "./like.ts";

/** The state of one partition of a managed projection, in one generation. */
export interface StateRow {
  environment_id: string;
  name: string;
  generation: number;
  partition_key: string;
  /** JSON text. */
  state: string;
  last_event_id: string | null;
  /** The state is what the partition's events up to this one add up to. */
  last_event_seq: number;
  last_event_time: number | null;
  /** How often the state was saved. */
  version: number;
  updated_at: number;
}

/** A generation of a projection. */
export interface Generation {
  environmentId: string;
  name: string;
  generation: number;
}

export interface StateTable {
  get(of: Generation, partition: string): StateRow | undefined;
  /** The number of the newest event in a partition's state, 0 when there is no state. */
  lastSeq(of: Generation, partition: string): number;
  put(row: StateRow): void;
  delete(of: Generation, partition: string): void;
  /** Puts a partition's state into another generation, in the place of what it has there. */
  move(from: Generation, partition: string, to: number): void;
  /** Removes some rows of a generation; how many. */
  deleteSome(of: Generation, limit: number): number;
  /** Partitions whose name holds the text, by name. */
  partitions(of: Generation, search: string | undefined, limit: number): string[];
}

export function createStateTable(db: Database): StateTable {
  const of = "environment_id = ? and name = ? and generation = ?";
  const get = db.prepare<StateRow>(`select * from projection_states where ${of} and partition_key = ?`);
  const lastSeq = db.prepare<{ last_event_seq: number }>(
    `select last_event_seq from projection_states where ${of} and partition_key = ?`,
  );
  const put = db.prepare(
    `insert into projection_states (environment_id, name, generation, partition_key, state, last_event_id, last_event_seq,
       last_event_time, version, updated_at) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
     on conflict do update set state = ?5, last_event_id = ?6, last_event_seq = ?7, last_event_time = ?8, version = ?9,
       updated_at = ?10`,
  );
  const remove = db.prepare(`delete from projection_states where ${of} and partition_key = ?`);
  const move = db.prepare(`update projection_states set generation = ?5
    where environment_id = ?1 and name = ?2 and generation = ?3 and partition_key = ?4`);
  const some = db.prepare(
    `delete from projection_states where rowid in (select rowid from projection_states where ${of} limit ?)`,
  );
  const partitions = db.prepare<{ partition_key: string }>(
    `select partition_key from projection_states where ${of} and partition_key like ? escape '\\'
     order by partition_key limit ?`,
  );
  const key = (g: Generation) => [g.environmentId, g.name, g.generation] as const;
  return {
    get: (g, partition) => get.get(...key(g), partition),
    lastSeq: (g, partition) => lastSeq.get(...key(g), partition)?.last_event_seq ?? 0,
    put: (r) => {
      put.run(
        r.environment_id,
        r.name,
        r.generation,
        r.partition_key,
        r.state,
        r.last_event_id,
        r.last_event_seq,
        r.last_event_time,
        r.version,
        r.updated_at,
      );
    },
    delete: (g, partition) => {
      remove.run(...key(g), partition);
    },
    move: (from, partition, to) => {
      remove.run(from.environmentId, from.name, to, partition);
      move.run(...key(from), partition, to);
    },
    deleteSome: (g, limit) => some.run(...key(g), limit),
    partitions: (g, search, limit) =>
      partitions
        .all(...key(g), search === undefined ? "%" : toLikePattern(search), limit)
        .map((row) => row.partition_key),
  };
}
