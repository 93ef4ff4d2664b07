import { randomBytes } from "node:crypto";
import { toTimestamp } from "../clock.ts";
import { FUNCTION_DEFAULTS } from "../contract/functions.ts";
import type { PushResponse, StepResult } from "../contract/push.ts";
import type { JobReport } from "../contract/workers.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { toJsonText } from "../json/json-text.ts";
import { resolveSecrets } from "../secrets/secrets.ts";
import type { RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import { endRun } from "./end-run.ts";
import { armLease, renewLease } from "./leases.ts";
import { announceRun } from "./notices.ts";
import { applyRecorded, failAttempt, protocolError, secretError } from "./outcome.ts";
import { forgetWaits } from "./ready.ts";
import { isSamePayload } from "./placeholder.ts";
import { recordSteps } from "./record-steps.ts";
import type { RegisteredFunction } from "./registry.ts";
import type { Worker } from "./workers.ts";

/** What proves that a report is about the execution that is under way. */
export interface Lease {
  workerId: string;
  jobId: string;
  executionSeq: number | undefined;
  leaseToken: string | undefined;
}

/** One job is one execution of one run. */
export const jobIdOf = (run: RunRow): string => `${run.id}-${run.execution_seq}`;

/** A run that a worker is to have, and the secrets its function declared. */
export interface Job {
  run: RunRow;
  secrets: Record<string, string>;
}

/** Gives a worker up to `limit` ready runs of its functions; functions take turns from one call to the next. */
export function claimJobs(core: Core, tx: Tx, worker: Worker, limit: number): Job[] {
  const claimed: Job[] = [];
  const start = tx.nowMs % Math.max(1, worker.functionIds.length);
  const turns = [...worker.functionIds.slice(start), ...worker.functionIds.slice(0, start)];
  for (const functionId of turns) {
    const fn = core.registry.get(worker.environmentId, functionId);
    if (fn?.config.preferredMode !== "pull") continue;
    for (const lane of core.store.runs.readyLanes(worker.environmentId, functionId)) {
      const room = limit - claimed.length;
      if (room <= 0) return claimed;
      for (const run of core.store.runs.ready(worker.environmentId, functionId, lane.lane_key, room)) {
        if (!core.dispatcher.takePull(tx, run, fn)) break;
        const taken = claim(core, tx, worker, fn, run);
        const secrets = resolveSecrets(core, worker.environmentId, fn.config.secrets ?? []);
        if ("values" in secrets) claimed.push({ run: taken, secrets: secrets.values });
        else {
          core.store.timers.deleteByRun(taken.id);
          failAttempt(core, tx, taken, secretError(secrets.problem), "transport");
        }
      }
    }
  }
  return claimed;
}

function claim(core: Core, tx: Tx, worker: Worker, fn: RegisteredFunction, run: RunRow): RunRow {
  const leaseExpiresAt = tx.nowMs + core.leaseMs;
  const timeoutAt = tx.nowMs + (fn.config.timeoutMs ?? FUNCTION_DEFAULTS.timeoutMs);
  const claimed = core.store.runs.update(
    run,
    {
      status: "running",
      ready_at: null,
      execution_mode: "pull",
      execution_seq: run.execution_seq + 1,
      worker_id: worker.id,
      lease_token: randomBytes(16).toString("hex"),
      lease_expires_at: leaseExpiresAt,
      claimed_at: tx.nowMs,
      timeout_at: timeoutAt,
      started_at: run.started_at ?? tx.nowMs,
    },
    tx.nowMs,
  );
  forgetWaits(core, run.id);
  armLease(core, tx, run.id, Math.min(leaseExpiresAt, timeoutAt));
  announceRun(core, tx, claimed, "updated");
  return claimed;
}

/** The worker is about to begin. @throws ApiError 409 STALE_EXECUTION, RUN_NOT_RUNNING */
export function ackJob(core: Core, tx: Tx, environmentId: string, lease: Lease): RunRow {
  return renewLease(core, tx, leasedRun(core, environmentId, lease));
}

/** A worker that is alive keeps its jobs. Jobs it no longer has are passed over. */
export function renewJobs(core: Core, tx: Tx, worker: Worker, jobIds: readonly string[]): void {
  for (const jobId of jobIds) {
    const run = runOfJob(core, jobId);
    const own = run?.environment_id === worker.environmentId && run.worker_id === worker.id;
    if (own && run.status === "running" && jobIdOf(run) === jobId) renewLease(core, tx, run);
  }
}

/**
 * Takes in what a worker did. What is answered with success is stored; a report about an execution that is no longer the
 * one under way changes nothing.
 * @throws ApiError 409 STALE_EXECUTION, RUN_NOT_RUNNING; `aborted` for a completed step with another output
 */
export function reportJob(core: Core, tx: Tx, environmentId: string, lease: Lease, report: JobReport): void {
  const known = runOfJob(core, lease.jobId);
  const repeated = known !== undefined && isRepeated(known, environmentId, lease, report);
  const run = repeated ? known : leasedRun(core, environmentId, lease);
  for (const step of report.steps ?? []) refuseOtherStep(core, step);
  if (repeated) {
    refuseOtherEnd(run, report);
    return;
  }
  const steps = (report.steps ?? []).map(toStepResult(tx.nowMs));
  const recorded = recordSteps(core, tx, run, steps);
  if (report.status === "progress") {
    const counted = { ...run, step_count: run.step_count + recorded.added };
    if (recorded.problem === undefined) {
      const progress = { step_count: counted.step_count, takeovers: recorded.added > 0 ? 0 : run.takeovers };
      core.store.runs.update(run, { ...progress, lease_expires_at: tx.nowMs + core.leaseMs }, tx.nowMs);
    } else endRun(core, tx, counted, { status: "failed", error: protocolError(recorded.problem) });
    return;
  }
  core.store.timers.deleteByRun(run.id);
  applyRecorded(core, tx, { ...run, takeovers: 0 }, recorded, toAnswer(report));
}

/** The end told again, because the answer to the first time was lost. */
function isRepeated(run: RunRow, environmentId: string, lease: Lease, report: JobReport): boolean {
  return (
    run.environment_id === environmentId &&
    run.status === report.status &&
    run.worker_id === lease.workerId &&
    jobIdOf(run) === lease.jobId &&
    run.lease_token === lease.leaseToken
  );
}

/** A completed step keeps its output: told again with another one, it is not clear which of them other steps went on with. */
function refuseOtherStep(core: Core, reported: NonNullable<JobReport["steps"]>[number]): void {
  const step = core.store.steps.get(reported.id ?? reported.step_id ?? "");
  if (step?.status !== "completed") return;
  const first = step.patched_at === null ? step.output : step.original_output;
  const same =
    reported.status === "completed" && isSamePayload(first, toJsonText(reported.output ?? null).text);
  if (same) return;
  throw new ApiError("aborted", `step ${step.id} is already completed, with another output`);
}

function refuseOtherEnd(run: RunRow, report: JobReport): void {
  if (report.status !== "completed") return;
  if (isSamePayload(run.output, toJsonText(report.output ?? null).text)) return;
  throw new ApiError("aborted", "the run is already completed, with another output", {
    restCode: "RUN_NOT_RUNNING",
  });
}

function leasedRun(core: Core, environmentId: string, lease: Lease): RunRow {
  const run = runOfJob(core, lease.jobId);
  if (run === undefined || run.environment_id !== environmentId || run.status !== "running") {
    const now = run === undefined || run.environment_id !== environmentId ? "gone" : run.status;
    throw new ApiError("aborted", `the run is not running: ${now}`, { restCode: "RUN_NOT_RUNNING" });
  }
  const current =
    run.execution_mode === "pull" &&
    run.worker_id === lease.workerId &&
    jobIdOf(run) === lease.jobId &&
    (lease.executionSeq === undefined || lease.executionSeq === run.execution_seq) &&
    run.lease_token === lease.leaseToken;
  if (current) return run;
  throw new ApiError("aborted", "another execution of this run is under way", {
    restCode: "STALE_EXECUTION",
  });
}

function runOfJob(core: Core, jobId: string): RunRow | undefined {
  const dash = jobId.lastIndexOf("-");
  return dash < 0 ? undefined : core.store.runs.get(jobId.slice(0, dash));
}

const toStepResult =
  (nowMs: number) =>
  (step: NonNullable<JobReport["steps"]>[number]): StepResult => ({
    id: step.id ?? step.step_id ?? "",
    name: step.name,
    type: step.type,
    status: step.status,
    started_at: step.started_at ?? toTimestamp(nowMs),
    output: step.output,
    ...(step.ended_at === undefined ? {} : { ended_at: step.ended_at }),
    ...(step.duration_ms === undefined ? {} : { duration_ms: step.duration_ms }),
    ...(step.error === undefined || step.error === null ? {} : { error: step.error }),
    ...(step.compensation_for === undefined ? {} : { compensation_for: step.compensation_for }),
  });

function toAnswer(report: Exclude<JobReport, { status: "progress" }>): PushResponse {
  switch (report.status) {
    case "completed":
      return { status: "completed", steps: null, result: report.output };
    case "failed":
      return { status: "failed", steps: null, error: report.error };
    case "yielded":
      return { status: "yielded", steps: null, yield: report.yield };
  }
}
