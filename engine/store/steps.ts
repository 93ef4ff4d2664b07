import type { StepStatus, StepType } from "../contract/enums.ts";
import type { Database } from "./database.ts";

export interface StepRow {
  /** The memoization id of the push protocol; it begins with the run's id, so it is unique everywhere. */
  id: string;
  run_id: string;
  name: string;
  type: StepType;
  /** Order in which the run's steps were first seen, from 1. */
  sequence: number;
  status: StepStatus;
  /** The run's attempt in which the row was last written. */
  attempt: number;
  /** JSON text, as output and error. */
  input: string | null;
  output: string | null;
  error: string | null;
  compensation_for: string | null;
  child_run_id: string | null;
  started_at: number | null;
  ended_at: number | null;
  duration_ms: number | null;
  sleep_until: number | null;
  wait_event_name: string | null;
  wait_match: string | null;
  wait_timeout_at: number | null;
  /** The event that ended the wait; its payload is the step's output. */
  wait_event_id: string | null;
  /** What the function itself had answered, once a person put another output in its place. */
  original_output: string | null;
  patched_at: number | null;
  patched_by: string | null;
  injected: number;
  created_at: number;
  updated_at: number;
}

/** Columns that a step may leave empty. */
type Optional =
  | "input"
  | "output"
  | "error"
  | "compensation_for"
  | "child_run_id"
  | "started_at"
  | "ended_at"
  | "duration_ms"
  | "sleep_until"
  | "wait_event_name"
  | "wait_match"
  | "wait_timeout_at";

export type StepRecord = Pick<
  StepRow,
  "id" | "run_id" | "name" | "type" | "sequence" | "status" | "attempt"
> &
  Partial<Pick<StepRow, Optional>>;

export interface StepTable {
  get(id: string): StepRow | undefined;
  /** All of a run, in sequence. */
  byRun(runId: string): StepRow[];
  /**
   * Writes a step. An existing row keeps its sequence and creation time; a completed one is never overwritten, and then
   * the answer is false.
   */
  put(step: StepRecord, nowMs: number): boolean;
  /** Changes the state of a row that is not completed; false when there is none. */
  settle(
    id: string,
    change: Pick<StepRow, "status" | "output" | "error"> & { attempt: number },
    nowMs: number,
  ): boolean;
  /** Ends a wait with the event it waited for; false when the row is completed already. */
  settleWithEvent(id: string, eventId: string, output: string, attempt: number, nowMs: number): boolean;
  /** Puts another output in a step's place, keeps the first one, and makes the step completed. */
  patch(id: string, change: { output: string; by: string; injected: boolean }, nowMs: number): void;
  /** Moves the ends of all waits for an event. */
  shiftWaits(byMs: number): void;
  byWaitEvent(eventId: string): StepRow[];
  /** The steps that started a run and hold what became of it. */
  byChild(childRunId: string): StepRow[];
  /** Puts other payloads in the place of those that are there, whatever the status. */
  redact(
    id: string,
    payloads: Pick<StepRow, "input" | "output" | "original_output" | "error">,
    nowMs: number,
  ): void;
  /** Every row of the run in status `from` gets status `to`. */
  relabel(runId: string, from: StepStatus, to: StepStatus, nowMs: number): void;
  /** The highest sequence of a run; 0 when it has no step. */
  lastSequence(runId: string): number;
  /** Forgets the steps of a run from this sequence on. */
  deleteFrom(runId: string, sequence: number): void;
}

export function createStepTable(db: Database): StepTable {
  const get = db.prepare<StepRow>("select * from steps where id = ?");
  const byRun = db.prepare<StepRow>("select * from steps where run_id = ? order by sequence, id");
  const put = db.prepare(
    `insert into steps (id, run_id, name, type, sequence, status, attempt, input, output, error, compensation_for,
       child_run_id, started_at, ended_at, duration_ms, sleep_until, wait_event_name, wait_match, wait_timeout_at,
       created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set type = excluded.type, status = excluded.status, attempt = excluded.attempt,
       input = excluded.input, output = excluded.output, error = excluded.error, child_run_id = excluded.child_run_id,
       started_at = excluded.started_at, ended_at = excluded.ended_at, duration_ms = excluded.duration_ms,
       sleep_until = excluded.sleep_until, wait_event_name = excluded.wait_event_name, wait_match = excluded.wait_match,
       wait_timeout_at = excluded.wait_timeout_at, updated_at = excluded.updated_at
     where steps.status <> 'completed' and steps.run_id = excluded.run_id`,
  );
  const settle = db.prepare(
    `update steps set status = ?, output = ?, error = ?, attempt = ?, ended_at = ?, duration_ms = ? - coalesce(started_at, ?),
       updated_at = ? where id = ? and status <> 'completed'`,
  );
  const settleWithEvent = db.prepare(
    `update steps set status = 'completed', output = ?, error = null, attempt = ?, wait_event_id = ?, ended_at = ?,
       duration_ms = ? - coalesce(started_at, ?), updated_at = ? where id = ? and status <> 'completed'`,
  );
  const patch = db.prepare(
    `update steps set original_output = case when patched_at is null then output else original_output end, output = ?,
       error = null, status = 'completed', patched_at = ?, patched_by = ?, injected = max(injected, ?),
       ended_at = coalesce(ended_at, ?), updated_at = ? where id = ?`,
  );
  const shiftWaits = db.prepare(
    `update steps set wait_timeout_at = wait_timeout_at + ?
     where id in (select step_id from timers where kind = 'wait_timeout')`,
  );
  const byWaitEvent = db.prepare<StepRow>("select * from steps where wait_event_id = ?");
  const byChild = db.prepare<StepRow>("select * from steps where child_run_id = ?");
  const redact = db.prepare(
    "update steps set input = ?, output = ?, original_output = ?, error = ?, updated_at = ? where id = ?",
  );
  const relabel = db.prepare("update steps set status = ?, updated_at = ? where run_id = ? and status = ?");
  const last = db.prepare<{ n: number }>(
    "select coalesce(max(sequence), 0) as n from steps where run_id = ?",
  );
  const deleteFrom = db.prepare("delete from steps where run_id = ? and sequence >= ?");
  return {
    get: (id) => get.get(id),
    byRun: (runId) => byRun.all(runId),
    put: (s, nowMs) =>
      put.run(
        s.id,
        s.run_id,
        s.name,
        s.type,
        s.sequence,
        s.status,
        s.attempt,
        s.input ?? null,
        s.output ?? null,
        s.error ?? null,
        s.compensation_for ?? null,
        s.child_run_id ?? null,
        s.started_at ?? null,
        s.ended_at ?? null,
        s.duration_ms ?? null,
        s.sleep_until ?? null,
        s.wait_event_name ?? null,
        s.wait_match ?? null,
        s.wait_timeout_at ?? null,
        nowMs,
        nowMs,
      ) > 0,
    settle: (id, change, nowMs) =>
      settle.run(change.status, change.output, change.error, change.attempt, nowMs, nowMs, nowMs, nowMs, id) >
      0,
    settleWithEvent: (id, eventId, output, attempt, nowMs) =>
      settleWithEvent.run(output, attempt, eventId, nowMs, nowMs, nowMs, nowMs, id) > 0,
    patch: (id, change, nowMs) => {
      patch.run(change.output, nowMs, change.by, change.injected ? 1 : 0, nowMs, nowMs, id);
    },
    shiftWaits: (byMs) => {
      shiftWaits.run(byMs);
    },
    byWaitEvent: (eventId) => byWaitEvent.all(eventId),
    byChild: (childRunId) => byChild.all(childRunId),
    redact: (id, p, nowMs) => {
      redact.run(p.input, p.output, p.original_output, p.error, nowMs, id);
    },
    relabel: (runId, from, to, nowMs) => {
      relabel.run(to, nowMs, runId, from);
    },
    lastSequence: (runId) => last.get(runId)?.n ?? 0,
    deleteFrom: (runId, sequence) => {
      deleteFrom.run(runId, sequence);
    },
  };
}
