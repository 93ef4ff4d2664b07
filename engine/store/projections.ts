import type { Database } from "./database.ts";

export type ProjectionMode = "managed" | "external";

export interface ProjectionRow {
  environment_id: string;
  name: string;
  /** Who keeps the read model: the engine, or whoever reads the events. */
  mode: ProjectionMode;
  /** Who reduces: a worker's code, or SQL that the engine applies. */
  type: "code" | "sql";
  /** What it is apart from a rebuild, which `rebuild_id` says. */
  status: "active" | "paused" | "error";
  /** JSON text: names of events, or patterns. */
  events: string;
  /** A path or CEL expression; "" when there is one state for all events. */
  partition_key: string;
  version: number;
  description: string;
  /** The table of a SQL projection, as its statements name it. */
  table_name: string | null;
  table_sql: string | null;
  /** JSON text: SQL by event name. */
  handlers: string | null;
  /** The one that is served. */
  generation: number;
  /** The table that holds the served generation of a SQL projection. */
  physical_table: string | null;
  /** Every event of the projection up to here is in the served generation. */
  cursor_seq: number;
  last_event_seq: number;
  last_event_id: string | null;
  error_message: string | null;
  /** The rebuild that is running. */
  rebuild_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface ProjectionFilter {
  environmentId: string;
  status?: string | undefined;
  mode?: string | undefined;
}

export interface HistoryRow {
  environment_id: string;
  name: string;
  revision: number;
  /** JSON text of the definition as it was before the change. */
  definition: string;
  change_type: string;
  change_reason: string;
  recorded_at: number;
}

/** What is left of a generation that nobody reads any more: rows of states, or a table. */
export interface GarbageRow {
  id: number;
  environment_id: string | null;
  name: string | null;
  generation: number | null;
  table_name: string | null;
}

export interface ProjectionTable {
  get(environmentId: string, name: string): ProjectionRow | undefined;
  /** Inserts the projection or replaces its row. */
  put(row: ProjectionRow): void;
  delete(environmentId: string, name: string): void;
  /** A number that no generation of a projection of this name ever had, also not of one that was deleted. */
  nextGeneration(environmentId: string, name: string): number;
  /** By name. */
  list(
    filter: ProjectionFilter,
    page: { limit: number; offset: number },
  ): { projections: ProjectionRow[]; total: number };
  /** SQL projections of all environments. */
  sql(): ProjectionRow[];
  byTable(environmentId: string, tableName: string): ProjectionRow | undefined;
  addHistory(row: Omit<HistoryRow, "revision">): void;
  /** Newest first, below a revision. */
  history(environmentId: string, name: string, beforeRevision: number, limit: number): HistoryRow[];
  revision(environmentId: string, name: string, revision: number): HistoryRow | undefined;
  deleteHistory(environmentId: string, name: string): void;
  addGarbage(garbage: Partial<Omit<GarbageRow, "id">>): void;
  garbage(): GarbageRow | undefined;
  deleteGarbage(id: number): void;
}

export function createProjectionTable(db: Database): ProjectionTable {
  const get = db.prepare<ProjectionRow>("select * from projections where environment_id = ? and name = ?");
  const put = db.prepare(
    `insert or replace into projections (environment_id, name, mode, type, status, events, partition_key, version,
       description, table_name, table_sql, handlers, generation, physical_table, cursor_seq,
       last_event_seq, last_event_id, error_message, rebuild_id, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = db.prepare("delete from projections where environment_id = ? and name = ?");
  const nextGeneration = db.prepare<{ last: number }>(
    `insert into projection_generations (environment_id, name, last) values (?, ?, 1)
     on conflict do update set last = last + 1 returning last`,
  );
  const where = `environment_id = ?1 and (?3 is null or mode = ?3) and (?2 is null
    or ?2 = case when rebuild_id is not null then 'rebuilding' else status end)`;
  const list = db.prepare<ProjectionRow>(
    `select * from projections where ${where} order by name limit ?4 offset ?5`,
  );
  const count = db.prepare<{ n: number }>(`select count(*) as n from projections where ${where}`);
  const sql = db.prepare<ProjectionRow>("select * from projections where type = 'sql' order by name");
  const byTable = db.prepare<ProjectionRow>(
    "select * from projections where environment_id = ? and table_name = ?",
  );
  const addHistory = db.prepare(
    `insert into projection_history (environment_id, name, revision, definition, change_type, change_reason, recorded_at)
     values (?1, ?2, (select coalesce(max(revision), 0) + 1 from projection_history
       where environment_id = ?1 and name = ?2), ?3, ?4, ?5, ?6)`,
  );
  const history = db.prepare<HistoryRow>(
    `select * from projection_history where environment_id = ? and name = ? and revision < ?
     order by revision desc limit ?`,
  );
  const revision = db.prepare<HistoryRow>(
    "select * from projection_history where environment_id = ? and name = ? and revision = ?",
  );
  const forget = db.prepare("delete from projection_history where environment_id = ? and name = ?");
  const addGarbage = db.prepare(
    "insert into projection_garbage (environment_id, name, generation, table_name) values (?, ?, ?, ?)",
  );
  const garbage = db.prepare<GarbageRow>("select * from projection_garbage order by id limit 1");
  const deleteGarbage = db.prepare("delete from projection_garbage where id = ?");
  return {
    get: (environmentId, name) => get.get(environmentId, name),
    put: (r) => {
      put.run(
        r.environment_id,
        r.name,
        r.mode,
        r.type,
        r.status,
        r.events,
        r.partition_key,
        r.version,
        r.description,
        r.table_name,
        r.table_sql,
        r.handlers,
        r.generation,
        r.physical_table,
        r.cursor_seq,
        r.last_event_seq,
        r.last_event_id,
        r.error_message,
        r.rebuild_id,
        r.created_at,
        r.updated_at,
      );
    },
    delete: (environmentId, name) => {
      remove.run(environmentId, name);
    },
    nextGeneration: (environmentId, name) => {
      const row = nextGeneration.get(environmentId, name);
      if (row === undefined) throw new Error(`no generation for ${name}`);
      return row.last;
    },
    list: (filter, page) => {
      const values = [filter.environmentId, filter.status ?? null, filter.mode ?? null];
      return {
        projections: list.all(...values, page.limit, page.offset),
        total: count.get(...values)?.n ?? 0,
      };
    },
    sql: () => sql.all(),
    byTable: (environmentId, tableName) => byTable.get(environmentId, tableName),
    addHistory: (r) => {
      addHistory.run(r.environment_id, r.name, r.definition, r.change_type, r.change_reason, r.recorded_at);
    },
    history: (environmentId, name, before, limit) => history.all(environmentId, name, before, limit),
    revision: (environmentId, name, number) => revision.get(environmentId, name, number),
    deleteHistory: (environmentId, name) => {
      forget.run(environmentId, name);
    },
    addGarbage: (g) => {
      addGarbage.run(g.environment_id ?? null, g.name ?? null, g.generation ?? null, g.table_name ?? null);
    },
    garbage: () => garbage.get(),
    deleteGarbage: (id) => {
      deleteGarbage.run(id);
    },
  };
}
