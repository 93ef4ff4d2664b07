import type { RunStatus } from "../contract/enums.ts";
import type { Database } from "./database.ts";

export interface RunRow {
  seq: number;
  id: string;
  environment_id: string;
  function_id: string;
  function_version: number;
  event_id: string;
  event_name: string;
  execution_mode: "push" | "pull";
  status: RunStatus;
  attempt: number;
  max_attempts: number;
  /** JSON text, as output and error. */
  input: string;
  output: string | null;
  error: string | null;
  parent_run_id: string | null;
  /** The memoization id of the parent's step that waits for this run; null when nobody waits. */
  parent_step_id: string | null;
  /** How many runs are above this one. */
  depth: number;
  resume_from_step: string | null;
  cancellation_cause: string | null;
  pause_requested: number;
  pause_reason: string;
  /** Goes up with each dispatch: an answer counts only while it carries the newest number. */
  execution_seq: number;
  step_count: number;
  version: number;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  resumed_at: number | null;
  /** Runs of a function with the same key share its concurrency limit; "" without a key. */
  lane_key: string;
  /** The pull worker that has or last had the run. */
  worker_id: string | null;
  /** Proves that a report comes from the worker that was given this execution. */
  lease_token: string | null;
  /** When the run is taken from a worker that says nothing more, ms since 1970. */
  lease_expires_at: number | null;
  claimed_at: number | null;
  /** When the execution under way has used up the function's time, ms since 1970. */
  timeout_at: number | null;
  /** Workers lost since the run last made progress. */
  takeovers: number;
  /** Since when the run could be dispatched; null when it is running, held, waiting or at its end. */
  ready_at: number | null;
}

export type NewRun = Pick<
  RunRow,
  | "id"
  | "environment_id"
  | "function_id"
  | "function_version"
  | "event_id"
  | "event_name"
  | "execution_mode"
  | "max_attempts"
  | "input"
  | "parent_run_id"
  | "parent_step_id"
  | "depth"
  | "lane_key"
>;

/** The columns that change after a run was made. */
export type RunChange = Partial<
  Pick<
    RunRow,
    | "status"
    | "attempt"
    | "output"
    | "error"
    | "resume_from_step"
    | "cancellation_cause"
    | "pause_requested"
    | "pause_reason"
    | "execution_seq"
    | "step_count"
    | "started_at"
    | "ended_at"
    | "resumed_at"
    | "ready_at"
    | "execution_mode"
    | "worker_id"
    | "lease_token"
    | "lease_expires_at"
    | "claimed_at"
    | "timeout_at"
    | "takeovers"
    | "input"
  >
>;

export type ReadyLane = Pick<RunRow, "environment_id" | "function_id" | "lane_key">;

export interface RunTable {
  /** Inserts a run and returns its row: `claimed` is being executed, `queued` and `deferred` are ready. */
  insert(run: NewRun, nowMs: number, as: "claimed" | "queued" | "deferred"): RunRow;
  get(id: string): RunRow | undefined;
  /** Writes the change and returns the row as it is now. */
  update(row: RunRow, change: RunChange, nowMs: number): RunRow;
  delete(id: string): void;
  /** The runs of a lane that have been ready longest. */
  ready(environmentId: string, functionId: string, laneKey: string, limit: number): RunRow[];
  /** Lanes that have ready runs: of one function, or of all. */
  readyLanes(environmentId?: string, functionId?: string): ReadyLane[];
  /** Runs that a pull worker has. */
  leased(): RunRow[];
  /** Moves the ends of all leases and of the executions under way. */
  shiftLeases(byMs: number): void;
  /** Ready runs of a function: those that wait for a slot or behind a breaker. Counted up to `cap`. */
  countReady(environmentId: string, functionId: string, cap: number): number;
  /** Runs of a function that are not at their end. */
  countOpen(environmentId: string, functionId: string): number;
  byEvent(eventId: string): RunRow[];
  /** Oldest first. */
  idsByEvent(eventId: string): string[];
  byParent(runId: string): RunRow[];
  /** After a crash: every push run that was being executed is ready again. Returns how many. */
  requeueInterrupted(nowMs: number): number;
  /** Marks the ready runs of a function as deferred (`waiting`) while its breaker is open. */
  markDeferred(environmentId: string, functionId: string, nowMs: number): void;
  /** Runs of this environment in one of the statuses. */
  count(environmentId: string, statuses: readonly RunStatus[]): number;
}

export function createRunTable(db: Database): RunTable {
  const insert = db.prepare<RunRow>(
    `insert into runs (id, environment_id, function_id, function_version, event_id, event_name, execution_mode, status,
       attempt, max_attempts, input, parent_run_id, parent_step_id, depth, execution_seq, created_at, updated_at, started_at,
       ready_at, lane_key, claimed_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning *`,
  );
  const get = db.prepare<RunRow>("select * from runs where id = ?");
  // The indexes on status are only touched when the status changes, so there are two statements.
  const columns = `attempt = ?, output = ?, error = ?, resume_from_step = ?, cancellation_cause = ?, pause_requested = ?,
    pause_reason = ?, execution_seq = ?, step_count = ?, started_at = ?, ended_at = ?, resumed_at = ?, ready_at = ?,
    execution_mode = ?, worker_id = ?, lease_token = ?, lease_expires_at = ?, claimed_at = ?, timeout_at = ?, takeovers = ?,
    input = ?, updated_at = ?, version = version + 1`;
  const update = db.prepare(`update runs set ${columns} where seq = ?`);
  const updateStatus = db.prepare(`update runs set ${columns}, status = ? where seq = ?`);
  const remove = db.prepare("delete from runs where id = ?");
  const ready = db.prepare<RunRow>(
    `select * from runs where environment_id = ? and function_id = ? and lane_key = ? and ready_at is not null
     order by ready_at, seq limit ?`,
  );
  const readyLanes = db.prepare<ReadyLane>(
    "select distinct environment_id, function_id, lane_key from runs where ready_at is not null",
  );
  const readyLanesOf = db.prepare<ReadyLane>(
    `select distinct environment_id, function_id, lane_key from runs
     where environment_id = ? and function_id = ? and ready_at is not null`,
  );
  const leased = db.prepare<RunRow>(
    `select * from runs where environment_id in (select id from environments) and status = 'running'
     and execution_mode = 'pull'`,
  );
  const shiftLeases = db.prepare(
    `update runs set lease_expires_at = lease_expires_at + ?1, timeout_at = timeout_at + ?1
     where environment_id in (select id from environments) and status = 'running' and execution_mode = 'pull'`,
  );
  const countReady = db.prepare<{ n: number }>(
    `select count(*) as n from (select 1 from runs where environment_id = ? and function_id = ? and ready_at is not null
     limit ?)`,
  );
  const countOpen = db.prepare<{ n: number }>(
    `select coalesce(sum(runs), 0) as n from run_counts
     where environment_id = ? and function_id = ? and status not in ('completed', 'failed', 'cancelled')`,
  );
  const byEvent = db.prepare<RunRow>("select * from runs where event_id = ? order by seq");
  const idsByEvent = db.prepare<{ id: string }>("select id from runs where event_id = ? order by seq");
  const byParent = db.prepare<RunRow>("select * from runs where parent_run_id = ? order by seq");
  const requeue = db.prepare(
    `update runs set status = 'waiting_for_capacity', ready_at = ?, updated_at = ?, version = version + 1
     where environment_id in (select id from environments) and status = 'running' and execution_mode = 'push'`,
  );
  const defer = db.prepare(
    `update runs set status = 'waiting', updated_at = ?, version = version + 1
     where environment_id = ? and function_id = ? and ready_at is not null and status <> 'waiting'`,
  );
  const count = db.prepare<{ n: number }>(
    "select coalesce(sum(runs), 0) as n from run_counts where environment_id = ? and status in (select value from json_each(?))",
  );
  return {
    insert: (run, nowMs, as) => {
      const claimed = as === "claimed";
      const row = insert.get(
        run.id,
        run.environment_id,
        run.function_id,
        run.function_version,
        run.event_id,
        run.event_name,
        run.execution_mode,
        claimed ? "running" : as === "deferred" ? "waiting" : "waiting_for_capacity",
        run.max_attempts,
        run.input,
        run.parent_run_id,
        run.parent_step_id,
        run.depth,
        claimed ? 1 : 0,
        nowMs,
        nowMs,
        claimed ? nowMs : null,
        claimed ? null : nowMs,
        run.lane_key,
        claimed ? nowMs : null,
      );
      if (row === undefined) throw new Error("insert returned no row");
      return row;
    },
    get: (id) => get.get(id),
    update: (row, change, nowMs) => {
      const next: RunRow = { ...row, ...change, updated_at: nowMs, version: row.version + 1 };
      const values = [
        next.attempt,
        next.output,
        next.error,
        next.resume_from_step,
        next.cancellation_cause,
        next.pause_requested,
        next.pause_reason,
        next.execution_seq,
        next.step_count,
        next.started_at,
        next.ended_at,
        next.resumed_at,
        next.ready_at,
        next.execution_mode,
        next.worker_id,
        next.lease_token,
        next.lease_expires_at,
        next.claimed_at,
        next.timeout_at,
        next.takeovers,
        next.input,
        next.updated_at,
      ];
      if (next.status === row.status) update.run(...values, row.seq);
      else updateStatus.run(...values, next.status, row.seq);
      return next;
    },
    delete: (id) => {
      remove.run(id);
    },
    ready: (environmentId, functionId, laneKey, limit) =>
      ready.all(environmentId, functionId, laneKey, limit),
    readyLanes: (environmentId, functionId) =>
      environmentId === undefined || functionId === undefined
        ? readyLanes.all()
        : readyLanesOf.all(environmentId, functionId),
    leased: () => leased.all(),
    shiftLeases: (byMs) => {
      shiftLeases.run(byMs);
    },
    countReady: (environmentId, functionId, cap) => countReady.get(environmentId, functionId, cap)?.n ?? 0,
    countOpen: (environmentId, functionId) => countOpen.get(environmentId, functionId)?.n ?? 0,
    byEvent: (eventId) => byEvent.all(eventId),
    idsByEvent: (eventId) => idsByEvent.all(eventId).map(({ id }) => id),
    byParent: (runId) => byParent.all(runId),
    requeueInterrupted: (nowMs) => requeue.run(nowMs, nowMs),
    markDeferred: (environmentId, functionId, nowMs) => {
      defer.run(nowMs, environmentId, functionId);
    },
    count: (environmentId, statuses) => count.get(environmentId, JSON.stringify(statuses))?.n ?? 0,
  };
}
