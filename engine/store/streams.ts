import type { Bindable, Database } from "./database.ts";
import type { EventRow } from "./events.ts";
import { toLikePattern } from "./like.ts";

export interface StreamRow {
  environment_id: string;
  entity_id: string;
  entity_type: string;
  /** The number of the newest event. */
  version: number;
  /** Events that are there: fewer than `version` once the stream was purged. */
  event_count: number;
  created_at: number;
  updated_at: number;
  /** When the tombstone was appended. */
  deleted_at: number | null;
  /** Events below this version are purged, or about to be: nobody reads them any more. */
  purge_below: number | null;
  /** Rows below `purge_below` are still in the file. */
  purging: number;
}

export interface StreamFilter {
  environmentId: string;
  entityType?: string | undefined;
  /** Pattern found anywhere in the entity's id. */
  search?: string | undefined;
  includeDeleted: boolean;
}

/** Part of a stream, by version. */
export interface StreamRange {
  /** Inclusive; 0 is the end that the direction begins at. */
  fromVersion: number;
  backward: boolean;
  limit: number;
  /** Inclusive. */
  sinceMs?: number | undefined;
  /** Exclusive. */
  untilMs?: number | undefined;
}

export interface StreamTable {
  get(environmentId: string, entityId: string): StreamRow | undefined;
  /** Inserts the stream or replaces its row. */
  put(row: StreamRow): void;
  /** Last changed first. */
  list(
    filter: StreamFilter,
    page: { limit: number; offset: number },
  ): { streams: StreamRow[]; total: number };
  /** Events of a stream in the range's direction; fewer than `limit` when their data would be more than `maxBytes`. */
  read(stream: StreamRow, range: StreamRange, maxBytes: number): EventRow[];
  /** Entities that a run appended to, and the one its own event belongs to. */
  entitiesOfRun(run: { id: string; environment_id: string; event_id: string }): string[];
  /** Whether a run that is not at its end, or a debounce, works with an event below this version. */
  isInUse(stream: StreamRow, belowVersion: number): boolean;
  /** Removes events below the version, oldest first; their ids. */
  purge(stream: StreamRow, belowVersion: number, limit: number): string[];
  /** Streams whose purge was begun and not ended. */
  purging(): StreamRow[];
}

export function createStreamTable(db: Database): StreamTable {
  const get = db.prepare<StreamRow>("select * from streams where environment_id = ? and entity_id = ?");
  const put = db.prepare(
    `insert into streams (environment_id, entity_id, entity_type, version, event_count, created_at, updated_at, deleted_at,
       purge_below, purging) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
     on conflict do update set version = ?4, event_count = ?5, updated_at = ?7, deleted_at = ?8, purge_below = ?9,
       purging = ?10`,
  );
  const ofRun = db.prepare<{ entity_id: string }>(
    `select entity_id from events where run_id = ?1 and entity_id is not null and environment_id = ?2
     union select entity_id from events where id = ?3 and entity_id is not null and environment_id = ?2 order by 1`,
  );
  const inUse = db.prepare<{ used: number }>(
    `select exists (select 1 from runs join events on events.id = runs.event_id
         where runs.environment_id = ?1
           and runs.status in ('running', 'paused', 'waiting_for_capacity', 'waiting')
           and events.entity_id = ?2 and events.entity_version < ?3)
       or exists (select 1 from debounces join events on events.id = debounces.event_id
         where debounces.environment_id = ?1 and events.entity_id = ?2 and events.entity_version < ?3) as used`,
  );
  const purge = db.prepare<{ id: string }>(
    `delete from events where seq in (select seq from events
       where environment_id = ? and entity_id = ? and entity_version < ? order by entity_version limit ?) returning id`,
  );
  const purging = db.prepare<StreamRow>("select * from streams where purging = 1");

  function conditions(filter: StreamFilter): { where: string; values: Bindable[] } {
    const where = ["environment_id = ?"];
    const values: Bindable[] = [filter.environmentId];
    if (filter.entityType !== undefined) {
      where.push("entity_type = ?");
      values.push(filter.entityType);
    }
    if (filter.search !== undefined) {
      where.push("entity_id like ? escape '\\'");
      values.push(toLikePattern(filter.search));
    }
    if (!filter.includeDeleted) where.push("deleted_at is null");
    return { where: where.join(" and "), values };
  }

  return {
    get: (environmentId, entityId) => get.get(environmentId, entityId),
    put: (r) => {
      put.run(
        r.environment_id,
        r.entity_id,
        r.entity_type,
        r.version,
        r.event_count,
        r.created_at,
        r.updated_at,
        r.deleted_at,
        r.purge_below,
        r.purging,
      );
    },
    list: (filter, page) => {
      const { where, values } = conditions(filter);
      const streams = db
        .prepare<StreamRow>(
          `select * from streams where ${where} order by updated_at desc, entity_id desc limit ? offset ?`,
        )
        .all(...values, page.limit, page.offset);
      const count = db.prepare<{ n: number }>(`select count(*) as n from streams where ${where}`);
      return { streams, total: count.get(...values)?.n ?? 0 };
    },
    read: (stream, range, maxBytes) => {
      const where = ["environment_id = ?", "entity_id = ?", "entity_version >= ?", "entity_version <= ?"];
      const lowest = Math.max(stream.purge_below ?? 1, range.backward ? 1 : range.fromVersion);
      const highest = range.backward && range.fromVersion > 0 ? range.fromVersion : stream.version;
      const values: Bindable[] = [stream.environment_id, stream.entity_id, lowest, highest];
      if (range.sinceMs !== undefined) {
        where.push("timestamp >= ?");
        values.push(range.sinceMs);
      }
      if (range.untilMs !== undefined) {
        where.push("timestamp < ?");
        values.push(range.untilMs);
      }
      const order = range.backward ? "desc" : "asc";
      const rest = `from events where ${where.join(" and ")} order by entity_version ${order} limit ?`;
      const sizes = db
        .prepare<{ bytes: number }>(
          `select octet_length(data) + coalesce(octet_length(metadata), 0) as bytes ${rest}`,
        )
        .all(...values, range.limit);
      let bytes = 0;
      const fitting = sizes.findIndex((row) => (bytes += row.bytes) > maxBytes);
      // One event is always given: else a large one would end the reading for ever.
      const limit = fitting < 0 ? sizes.length : Math.max(1, fitting);
      return db.prepare<EventRow>(`select * ${rest}`).all(...values, limit);
    },
    entitiesOfRun: (run) => ofRun.all(run.id, run.environment_id, run.event_id).map((row) => row.entity_id),
    isInUse: (stream, below) => inUse.get(stream.environment_id, stream.entity_id, below)?.used === 1,
    purge: (stream, below, limit) =>
      purge.all(stream.environment_id, stream.entity_id, below, limit).map(({ id }) => id),
    purging: () => purging.all(),
  };
}
