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

export interface FunctionTable {
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
  return {
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
