import type { Database } from "./database.ts";

export interface SnapshotRow {
  id: string;
  environment_id: string;
  entity_id: string;
  entity_type: string;
  /** The state is what the events up to this version add up to. */
  entity_version: number;
  /** JSON text. */
  state: string;
  created_at: number;
}

export interface SnapshotTable {
  /** One snapshot for each version: another one of the same version takes its place. */
  put(row: SnapshotRow): void;
  /** The newest one at or below a version. */
  latest(environmentId: string, entityId: string, atOrBelowVersion: number): SnapshotRow | undefined;
  /** Removes the snapshots of an entity from a version on. */
  deleteFrom(environmentId: string, entityId: string, version: number): void;
}

export function createSnapshotTable(db: Database): SnapshotTable {
  const put = db.prepare(
    `insert into snapshots (id, environment_id, entity_id, entity_type, entity_version, state, created_at)
     values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     on conflict (environment_id, entity_id, entity_version)
       do update set id = ?1, entity_type = ?4, state = ?6, created_at = ?7`,
  );
  const latest = db.prepare<SnapshotRow>(
    `select * from snapshots where environment_id = ? and entity_id = ? and entity_version <= ?
     order by entity_version desc limit 1`,
  );
  const remove = db.prepare(
    "delete from snapshots where environment_id = ? and entity_id = ? and entity_version >= ?",
  );
  return {
    put: (r) => {
      put.run(r.id, r.environment_id, r.entity_id, r.entity_type, r.entity_version, r.state, r.created_at);
    },
    latest: (environmentId, entityId, version) => latest.get(environmentId, entityId, version),
    deleteFrom: (environmentId, entityId, version) => {
      remove.run(environmentId, entityId, version);
    },
  };
}
