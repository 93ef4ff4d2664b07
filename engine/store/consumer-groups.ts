import type { Database } from "./database.ts";

export interface GroupRow {
  id: string;
  environment_id: string;
  name: string;
  /** `topic:…` or `events:…`, with wildcards. */
  pattern: string;
  /** CEL; "" takes everything. */
  filter_expr: string;
  ack_mode: "auto" | "manual";
  backpressure: "drop" | "block" | "buffer";
  /** Deliveries that one member may hold unacknowledged. */
  max_inflight: number;
  /** How often a delivery may come again. */
  max_redeliveries: number;
  redeliver_delay_ms: number;
  /** JSON text of an object. */
  metadata: string | null;
  status: "active" | "paused";
  /** Messages the group was not given because it had no room. */
  dropped: number;
  /** Deliveries that are not acknowledged, counted by triggers. */
  waiting: number;
  created_at: number;
  updated_at: number;
}

export interface GroupTable {
  /** Those of every environment. */
  all(): GroupRow[];
  get(environmentId: string, name: string): GroupRow | undefined;
  byId(id: string): GroupRow | undefined;
  /** In order of name, those after `afterName`. */
  list(
    filter: { environmentId: string; status?: string | undefined; afterName: string },
    limit: number,
  ): GroupRow[];
  count(environmentId: string, status: string | undefined): number;
  insert(row: GroupRow): void;
  update(row: GroupRow): void;
  countDropped(id: string, more: number): void;
  /** The group and what waits in it. */
  delete(id: string): void;
}

export function createGroupTable(db: Database): GroupTable {
  const all = db.prepare<GroupRow>("select * from consumer_groups order by environment_id, name");
  const get = db.prepare<GroupRow>("select * from consumer_groups where environment_id = ? and name = ?");
  const byId = db.prepare<GroupRow>("select * from consumer_groups where id = ?");
  const where = "environment_id = ?1 and (?2 is null or status = ?2)";
  const list = db.prepare<GroupRow>(
    `select * from consumer_groups where ${where} and name > ?3 order by name limit ?4`,
  );
  const count = db.prepare<{ n: number }>(`select count(*) as n from consumer_groups where ${where}`);
  const insert = db.prepare(
    `insert into consumer_groups (id, environment_id, name, pattern, filter_expr, ack_mode, backpressure, max_inflight,
       max_redeliveries, redeliver_delay_ms, metadata, status, dropped, waiting, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
  );
  const update = db.prepare(
    `update consumer_groups set pattern = ?, filter_expr = ?, ack_mode = ?, backpressure = ?, max_inflight = ?,
       max_redeliveries = ?, redeliver_delay_ms = ?, metadata = ?, status = ?, updated_at = ? where id = ?`,
  );
  const countDropped = db.prepare("update consumer_groups set dropped = dropped + ? where id = ?");
  const remove = db.prepare("delete from consumer_groups where id = ?");
  return {
    all: () => all.all(),
    get: (environmentId, name) => get.get(environmentId, name),
    byId: (id) => byId.get(id),
    list: (f, limit) => list.all(f.environmentId, f.status ?? null, f.afterName, limit),
    count: (environmentId, status) => count.get(environmentId, status ?? null)?.n ?? 0,
    insert: (g) => {
      insert.run(
        g.id,
        g.environment_id,
        g.name,
        g.pattern,
        g.filter_expr,
        g.ack_mode,
        g.backpressure,
        g.max_inflight,
        g.max_redeliveries,
        g.redeliver_delay_ms,
        g.metadata,
        g.status,
        g.dropped,
        g.created_at,
        g.updated_at,
      );
    },
    update: (g) => {
      update.run(
        g.pattern,
        g.filter_expr,
        g.ack_mode,
        g.backpressure,
        g.max_inflight,
        g.max_redeliveries,
        g.redeliver_delay_ms,
        g.metadata,
        g.status,
        g.updated_at,
        g.id,
      );
    },
    countDropped: (id, more) => {
      countDropped.run(more, id);
    },
    delete: (id) => {
      remove.run(id);
    },
  };
}
