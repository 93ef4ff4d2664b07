import type { FunctionStatus } from "../contract/enums.ts";
import type { Database } from "./database.ts";

export interface FunctionRow {
  environment_id: string;
  id: string;
  /** Goes up only when the registered configuration changes. */
  version: number;
  status: FunctionStatus;
  /** JSON text of a FunctionConfig. */
  config: string;
  created_at: number;
  updated_at: number;
}

export interface FunctionVersionRow {
  environment_id: string;
  function_id: string;
  version: number;
  config: string;
  change_reason: string;
  created_at: number;
}

export interface FunctionTable {
  /** Newest first, from version `from` (inclusive) downwards. */
  history(environmentId: string, id: string, from: number, limit: number): FunctionVersionRow[];
  version(environmentId: string, id: string, version: number): FunctionVersionRow | undefined;
  /** The highest version an id ever had, also of a function that was deleted; 0 for a new one. */
  lastVersion(environmentId: string, id: string): number;
  countVersions(environmentId: string, id: string): number;
  /** Forgets the function; its versions stay, so that an id registered again goes on counting. */
  delete(environmentId: string, id: string): void;
  all(): FunctionRow[];
  put(row: FunctionRow, changeReason: string): void;
  setStatus(environmentId: string, id: string, status: FunctionStatus, nowMs: number): void;
}

export function createFunctionTable(db: Database): FunctionTable {
  const all = db.prepare<FunctionRow>("select * from functions order by environment_id, id");
  const put = db.prepare(
    `insert into functions (environment_id, id, version, status, config, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (environment_id, id) do update set version = excluded.version, status = excluded.status,
       config = excluded.config, updated_at = excluded.updated_at`,
  );
  const putVersion = db.prepare(
    `insert into function_versions (environment_id, function_id, version, config, change_reason, created_at)
     values (?, ?, ?, ?, ?, ?)`,
  );
  const setStatus = db.prepare(
    "update functions set status = ?, updated_at = ? where environment_id = ? and id = ?",
  );
  const history = db.prepare<FunctionVersionRow>(
    `select * from function_versions where environment_id = ? and function_id = ? and version <= ?
     order by version desc limit ?`,
  );
  const version = db.prepare<FunctionVersionRow>(
    "select * from function_versions where environment_id = ? and function_id = ? and version = ?",
  );
  const last = db.prepare<{ last: number; versions: number }>(
    `select coalesce(max(version), 0) as last, count(*) as versions from function_versions
     where environment_id = ? and function_id = ?`,
  );
  const remove = db.prepare("delete from functions where environment_id = ? and id = ?");
  return {
    history: (environmentId, id, from, limit) => history.all(environmentId, id, from, limit),
    version: (environmentId, id, number) => version.get(environmentId, id, number),
    lastVersion: (environmentId, id) => last.get(environmentId, id)?.last ?? 0,
    countVersions: (environmentId, id) => last.get(environmentId, id)?.versions ?? 0,
    delete: (environmentId, id) => {
      remove.run(environmentId, id);
    },
    all: () => all.all(),
    put: (row, changeReason) => {
      put.run(
        row.environment_id,
        row.id,
        row.version,
        row.status,
        row.config,
        row.created_at,
        row.updated_at,
      );
      putVersion.run(row.environment_id, row.id, row.version, row.config, changeReason, row.updated_at);
    },
    setStatus: (environmentId, id, status, nowMs) => {
      setStatus.run(status, nowMs, environmentId, id);
    },
  };
}
