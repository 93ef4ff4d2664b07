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
  /** Keeps the state that is about to be replaced, and of those the newest `states` with `bytes` at most. */
  keepPast(of: Generation, partition: string, kept: { states: number; bytes: number }): void;
  /** The newest kept state that was there at a moment; not the one that is there now. */
  pastAt(of: Generation, partition: string, atMs: number): StateRow | undefined;
  oldestPast(of: Generation, partition: string): StateRow | undefined;
  delete(of: Generation, partition: string): void;
  /** Puts a partition's state into another generation, in the place of what it has there. */
  move(from: Generation, partition: string, to: number): void;
  /** Removes some rows of a generation, kept ones too; how many. */
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
  const ofPartition = `${of} and partition_key = ?`;
  const keep = db.prepare(
    `insert or replace into projection_past_states select * from projection_states where ${ofPartition}`,
  );
  const trim = db.prepare(
    `delete from projection_past_states where environment_id = ?1 and name = ?2 and generation = ?3 and partition_key = ?4
       and version not in (select version from (
         select version, row_number() over newest as place, sum(octet_length(state)) over newest as bytes
         from projection_past_states where environment_id = ?1 and name = ?2 and generation = ?3 and partition_key = ?4
         window newest as (order by version desc)) where place <= ?5 and bytes <= ?6)`,
  );
  const pastAt = db.prepare<StateRow>(
    `select * from projection_past_states where ${ofPartition} and updated_at <= ? order by version desc limit 1`,
  );
  const oldestPast = db.prepare<StateRow>(
    `select * from projection_past_states where ${ofPartition} order by version limit 1`,
  );
  const removePast = db.prepare(`delete from projection_past_states where ${ofPartition}`);
  const somePast = db.prepare(
    `delete from projection_past_states where rowid in (select rowid from projection_past_states where ${of} limit ?)`,
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
    keepPast: (g, partition, kept) => {
      keep.run(...key(g), partition);
      trim.run(...key(g), partition, kept.states, kept.bytes);
    },
    pastAt: (g, partition, atMs) => pastAt.get(...key(g), partition, atMs),
    oldestPast: (g, partition) => oldestPast.get(...key(g), partition),
    move: (from, partition, to) => {
      removePast.run(from.environmentId, from.name, to, partition);
      remove.run(from.environmentId, from.name, to, partition);
      move.run(...key(from), partition, to);
    },
    deleteSome: (g, limit) => some.run(...key(g), limit) + somePast.run(...key(g), limit),
    partitions: (g, search, limit) =>
      partitions
        .all(...key(g), search === undefined ? "%" : toLikePattern(search), limit)
        .map((row) => row.partition_key),
  };
}
