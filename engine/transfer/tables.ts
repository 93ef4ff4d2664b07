/** A table of the store whose rows belong to one environment and travel with it. */
export interface TransferTable {
  name: string;
  /** A number that only counts rows of this store. It is given anew; `refs` of other tables follow it. */
  counter?: string;
  /** Columns that hold JSON text. */
  json?: readonly string[];
  /** For a table without `environment_id`: the column that names its owner, and whose id that is. */
  owner?: { column: string; table: string; id: string };
  /** Columns that hold the counter of another table's row. */
  refs?: Readonly<Record<string, string>>;
  /** Rows that the store may already have derived from others. */
  derived?: true;
}

/**
 * What an export holds, in the order in which it can be read back: owners before what they own. A new table of the store
 * joins by a line here; its columns are taken from the schema.
 */
export const TRANSFER_TABLES: readonly TransferTable[] = [
  { name: "functions", json: ["config"] },
  { name: "function_versions", json: ["config"] },
  { name: "schedules" },
  { name: "runs", counter: "seq", json: ["input", "output", "error"] },
  {
    name: "steps",
    json: ["input", "output", "error", "original_output"],
    owner: { column: "run_id", table: "runs", id: "id" },
  },
  { name: "streams" },
  { name: "events", counter: "seq", json: ["data", "metadata"] },
  { name: "outbox", counter: "seq" },
  { name: "snapshots", json: ["state"] },
  { name: "idempotency", json: ["run_ids"] },
  {
    name: "attempt_errors",
    counter: "id",
    json: ["error"],
    owner: { column: "run_id", table: "runs", id: "id" },
  },
  { name: "timers", counter: "id", owner: { column: "run_id", table: "runs", id: "id" } },
  { name: "listeners", counter: "id" },
  { name: "debounces" },
  { name: "breakers" },
  { name: "breaker_failures", counter: "id", owner: { column: "key", table: "breakers", id: "key" } },
  { name: "dead_letters", counter: "seq" },
  { name: "topic_messages", counter: "seq", json: ["data"] },
  { name: "kv_buckets", counter: "id" },
  {
    name: "kv_entries",
    owner: { column: "bucket_id", table: "kv_buckets", id: "id" },
    refs: { bucket_id: "kv_buckets" },
  },
  { name: "flow_edges", derived: true },
  { name: "audit", counter: "seq", json: ["payload"] },
];

/**
 * Tables that stay: keys and values that only this store can read (names of secrets travel), what is derived from the
 * others, and what applications register again when they start: projections, which are built anew, and agents' tools.
 * Sources of webhooks stay with their tokens and secrets: a source is a door of this store. Consumer groups stay with what
 * they have not acknowledged: their members are connected here.
 */
export const LEFT_BEHIND: readonly string[] = [
  "projects",
  "environments",
  "api_keys",
  "run_counts",
  "event_names",
  "kv_dropped",
  "topics",
  "secrets",
  "projections",
  "projection_states",
  "projection_past_states",
  "projection_history",
  "projection_generations",
  "projection_garbage",
  "rebuild_jobs",
  "agents",
  "agent_tools",
  "webhook_sources",
  "webhook_secrets",
  "webhook_deliveries",
  "webhook_edges",
  "consumer_groups",
  "group_deliveries",
  // There are none when an export is made.
  "routing_slices",
];

/** The rows of one environment. */
export function whereEnvironment({ name, owner }: TransferTable): string {
  return owner === undefined
    ? `${name}.environment_id = ?`
    : `${name}.${owner.column} in (select ${owner.id} from ${owner.table} where environment_id = ?)`;
}
