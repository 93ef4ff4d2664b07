import type { DatabaseSync } from "@photostructure/sqlite";
import { DATA_EVENT, SQL_PROJECTION, SUM_PROJECTION, type Sum } from "./data-ledger.ts";

/** What a dead engine had on disk of streams and projections. */
export interface DataSnapshot {
  /** In the order of their numbers; `n` is what projections add. */
  entityEvents: { seq: number; id: string; entity_id: string; entity_version: number; n: number }[];
  streams: { entity_id: string; version: number }[];
  projections: {
    name: string;
    status: string;
    cursor_seq: number;
    rebuild_id: string | null;
    error_message: string | null;
  }[];
  /** Of all generations. */
  states: (Sum & { generation: number; last_event_seq: number })[];
  /** What each table of the SQL projection holds: the served one, and that of a rebuild. */
  sqlRows: (Sum & { cursor_seq: number })[];
}

export const emptyData: DataSnapshot = {
  entityEvents: [],
  streams: [],
  projections: [],
  states: [],
  sqlRows: [],
};

export function readData(db: InstanceType<typeof DatabaseSync>): DataSnapshot {
  const rows = <Row>(sql: string) => db.prepare(sql).all() as Row[];
  if (rows("select 1 from sqlite_schema where name = 'projections'").length === 0) return emptyData;
  const tables = rows<{ physical: string; cursor_seq: number }>(
    `select physical_table as physical, cursor_seq from projections where name = '${SQL_PROJECTION}'
     union all select physical_table, cursor_seq from rebuild_jobs
       where name = '${SQL_PROJECTION}' and status = 'running'`,
  );
  return {
    entityEvents: rows(
      `select seq, id, entity_id, entity_version, data ->> 'n' as n from events where name = '${DATA_EVENT}' order by seq`,
    ),
    streams: rows("select entity_id, version from streams"),
    projections: rows("select name, status, cursor_seq, rebuild_id, error_message from projections"),
    states: rows(
      `select generation, last_event_seq, state ->> 'count' as count, state ->> 'sum' as sum from projection_states
       where name = '${SUM_PROJECTION}'`,
    ),
    sqlRows: tables.flatMap(({ physical, cursor_seq }) =>
      rows<Sum>(
        `select coalesce(sum(events), 0) as count, coalesce(sum(total), 0) as sum from "${physical}"`,
      ).map((row) => ({ ...row, cursor_seq })),
    ),
  };
}
