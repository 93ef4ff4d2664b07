import { parseExactJson } from "../../loopback/exact-json.ts";
import { toTimestamp } from "../clock.ts";
import { toWireEnum } from "../contract/enums.ts";
import { FUNCTION_DEFAULTS } from "../contract/functions.ts";
import { probeAtMs } from "../execute/breaker-state.ts";
import type { FunctionConfig } from "../execute/function-config.ts";
import type { RegisteredFunction } from "../execute/registry.ts";
import { isStillOpen } from "../execute/run-end.ts";
import type { Worker } from "../execute/workers.ts";
import { JsonText, toJsonText } from "../json/json-text.ts";
import type { AuditRow } from "../store/audit.ts";
import type { BreakerFailureRow, BreakerRow } from "../store/breakers.ts";
import type { DebounceRow } from "../store/debounces.ts";
import type { DeadLetterRow } from "../store/dead-letters.ts";
import type { EventRow } from "../store/events.ts";
import type { FunctionVersionRow } from "../store/functions.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import { twin } from "./protojson.ts";

/** Rows as the wire shows them: Connect messages (the door leaves out their zero values) and REST objects (snake_case). */

type Shape = Record<string, unknown>;

const time = (ms: number | null) => (ms === null ? undefined : toTimestamp(ms));
const json = (text: string | null) => (text === null ? undefined : new JsonText(text));
const some = (text: string | null) => text ?? undefined;
const whole = (ms: number | null) => (ms === null ? undefined : Math.round(ms));

export function connectRun(run: RunRow): Shape {
  return {
    id: run.id,
    functionId: run.function_id,
    eventId: run.event_id,
    eventName: run.event_name,
    executionMode: toWireEnum("mode", run.execution_mode),
    workerId: run.worker_id,
    timeoutAt: time(run.timeout_at),
    claimedBy: run.worker_id,
    claimedAt: time(run.claimed_at),
    ...twin("input", run.input),
    ...twin("output", run.output),
    error: run.error === null ? undefined : (JSON.parse(run.error) as Shape),
    status: toWireEnum("run", run.status),
    attempt: run.attempt,
    maxAttempts: run.max_attempts,
    startedAt: time(run.started_at),
    endedAt: time(run.ended_at),
    createdAt: toTimestamp(run.created_at),
    updatedAt: toTimestamp(run.updated_at),
    pauseRequested: run.pause_requested === 1,
    pauseReason: run.pause_reason,
    functionVersion: run.function_version,
    resumeFromStep: run.resume_from_step,
    parentRunId: run.parent_run_id,
    parentStepId: run.parent_step_id,
    environmentId: run.environment_id,
    version: run.version,
    cancellationCause: run.cancellation_cause,
  };
}

export function restRun(run: RunRow): Shape {
  return {
    id: run.id,
    function_id: run.function_id,
    event_id: run.event_id,
    event_name: run.event_name,
    execution_mode: run.execution_mode,
    worker_id: some(run.worker_id),
    timeout_at: time(run.timeout_at),
    status: run.status,
    attempt: run.attempt,
    max_attempts: run.max_attempts,
    input: json(run.input),
    output: json(run.output),
    error: json(run.error),
    function_version: run.function_version,
    created_at: toTimestamp(run.created_at),
    updated_at: toTimestamp(run.updated_at),
    started_at: time(run.started_at),
    ended_at: time(run.ended_at),
    parent_run_id: some(run.parent_run_id),
    parent_step_id: some(run.parent_step_id),
    resume_from_step: some(run.resume_from_step),
    pause_reason: run.pause_reason === "" ? undefined : run.pause_reason,
    cancellation_cause: some(run.cancellation_cause),
  };
}

export function connectStep(step: StepRow): Shape {
  return {
    id: step.id,
    runId: step.run_id,
    stepId: step.name,
    stepType: toWireEnum("stepType", step.type),
    sequence: step.sequence,
    status: toWireEnum("step", step.status),
    storedStatus: step.status,
    ...twin("input", step.input),
    ...twin("output", step.output),
    ...twin("originalOutput", step.original_output),
    patchedAt: time(step.patched_at),
    patchedBy: step.patched_by,
    error: json(step.error),
    attempt: step.attempt,
    durationMs: whole(step.duration_ms),
    durationMsFull: step.duration_ms === null ? undefined : String(whole(step.duration_ms)),
    startedAt: time(step.started_at),
    endedAt: time(step.ended_at),
    compensationFor: step.compensation_for,
    sleepUntil: time(step.sleep_until),
    waitEventName: step.wait_event_name,
    waitTimeout: time(step.wait_timeout_at),
    createdAt: toTimestamp(step.created_at),
    updatedAt: toTimestamp(step.updated_at),
  };
}

export function restStep(step: StepRow): Shape {
  return {
    id: step.id,
    run_id: step.run_id,
    step_id: step.name,
    step_type: step.type,
    sequence: step.sequence,
    status: step.status,
    attempt: step.attempt,
    created_at: toTimestamp(step.created_at),
    updated_at: toTimestamp(step.updated_at),
    input: json(step.input),
    output: json(step.output),
    original_output: json(step.original_output),
    patched_at: time(step.patched_at),
    patched_by: some(step.patched_by),
    wait_event_id: some(step.wait_event_id),
    error: json(step.error),
    duration_ms: whole(step.duration_ms),
    started_at: time(step.started_at),
    ended_at: time(step.ended_at),
    compensation_for: some(step.compensation_for),
    child_run_id: some(step.child_run_id),
    sleep_until: time(step.sleep_until),
    wait_event_name: some(step.wait_event_name),
    wait_event_match: some(step.wait_match),
    wait_timeout: time(step.wait_timeout_at),
  };
}

export function connectFunction({ row, config }: RegisteredFunction): Shape {
  return {
    id: row.id,
    ...config,
    metadata: config.metadata === undefined ? undefined : toJsonText(config.metadata),
    preferredMode: toWireEnum("mode", config.preferredMode),
    status: toWireEnum("function", row.status),
    version: row.version,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  };
}

export function restFunction({ row, config }: RegisteredFunction): Shape {
  return {
    id: row.id,
    slug: row.id,
    name: config.name,
    description: config.description,
    triggers: config.triggers ?? [],
    status: row.status,
    execution_mode: config.preferredMode,
    endpoint_url: config.endpointUrl,
    timeout_ms: config.timeoutMs ?? FUNCTION_DEFAULTS.timeoutMs,
    retry_attempts: config.retry?.maxAttempts ?? FUNCTION_DEFAULTS.maxAttempts,
    retry_delay_ms: config.retry?.initialDelayMs ?? FUNCTION_DEFAULTS.initialDelayMs,
    retry_backoff: config.retry?.backoffFactor ?? FUNCTION_DEFAULTS.backoffFactor,
    version: row.version,
    concurrency: config.concurrency,
    debounce: config.debounce,
    cancel_on: config.cancelOn,
    actor_key: config.actorKey,
    metadata: config.metadata === undefined ? undefined : toJsonText(config.metadata),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

export function restEvent(event: EventRow): Shape {
  return {
    id: event.id,
    name: event.name,
    timestamp: toTimestamp(event.timestamp),
    data: new JsonText(event.data),
    source: event.source,
    // Routing and the event are one transaction: a stored event has been routed.
    processed: true,
    created_at: toTimestamp(event.timestamp),
    version: event.version,
    metadata: json(event.metadata),
    idempotency_key: some(event.idempotency_key),
    run_id: some(event.run_id),
    entity_id: some(event.entity_id),
    entity_type: some(event.entity_type),
    entity_version: event.entity_version ?? undefined,
  };
}

/** `open_until` is when a probe may go; `waiting_runs` stops counting at `WAITING_RUNS_CAP`. */
export function restBreaker(row: BreakerRow, waitingRuns: number): Shape {
  const probeAt = row.state === "open" ? time(probeAtMs(row)) : undefined;
  return {
    key: row.key,
    function_id: row.function_id,
    endpoint: row.endpoint,
    state: row.state,
    consecutive_fails: row.consecutive_fails,
    last_failure: time(row.last_failure_at),
    last_failure_reason: some(row.last_failure_reason),
    opened_at: time(row.opened_at),
    open_until: probeAt,
    next_probe_at: probeAt,
    waiting_runs: waitingRuns,
  };
}

export const WAITING_RUNS_CAP = 10_000;

export function restBreakerFailure(row: BreakerFailureRow): Shape {
  return {
    failed_at: toTimestamp(row.failed_at),
    reason: row.reason,
    run_id: some(row.run_id),
    opened: row.opened === 1,
  };
}

/** What `TriggerSync` and `InvokeFunctionSync` say about a run. */
export function runResult(run: RunRow): Shape {
  return {
    runId: run.id,
    functionId: run.function_id,
    status: toWireEnum("run", run.status),
    ...twin("output", run.output),
    error: run.error === null ? undefined : (JSON.parse(run.error) as Shape),
    durationMs: run.ended_at === null ? undefined : run.ended_at - (run.started_at ?? run.created_at),
    waitTimedOut: isStillOpen(run),
  };
}

/** A version of a function as it was registered. */
export function connectFunctionVersion(row: FunctionVersionRow): Shape {
  const config = parseExactJson(row.config) as FunctionConfig;
  return {
    id: row.function_id,
    ...config,
    metadata: config.metadata === undefined ? undefined : toJsonText(config.metadata),
    preferredMode: toWireEnum("mode", config.preferredMode),
    version: row.version,
    changeReason: row.change_reason,
    createdAt: toTimestamp(row.created_at),
  };
}

export function restAudit(row: AuditRow): Shape {
  return {
    id: row.id,
    run_id: row.run_id,
    function_id: row.function_id,
    step_id: some(row.step_id),
    event_type: row.event_type,
    payload: new JsonText(row.payload),
    environment_id: row.environment_id,
    created_at: toTimestamp(row.created_at),
    api_key_id: some(row.api_key_id),
  };
}

export function connectAudit(row: AuditRow): Shape {
  return {
    id: row.id,
    runId: row.run_id,
    functionId: row.function_id,
    stepId: row.step_id,
    eventType: row.event_type,
    payload: new JsonText(row.payload),
    environmentId: row.environment_id,
    createdAt: toTimestamp(row.created_at),
    apiKeyId: row.api_key_id,
  };
}

export function restWorker(worker: Worker): Shape {
  return {
    id: worker.id,
    hostname: worker.hostname,
    function_ids: worker.functionIds,
    active_jobs: worker.activeJobs,
    max_concurrent: worker.maxConcurrent,
    labels: worker.labels,
    transport: "polling",
    version: worker.version,
    registered_at: toTimestamp(worker.registeredAt),
    last_heartbeat: toTimestamp(worker.lastHeartbeat),
  };
}

export function restDebounce(row: DebounceRow): Shape {
  return {
    environment_id: row.environment_id,
    function_id: row.function_id,
    key: row.key,
    event_id: row.event_id,
    events: row.events,
    first_at: toTimestamp(row.first_at),
    due_at: toTimestamp(row.due_at),
  };
}

export function restDeadLetter(row: DeadLetterRow): Shape {
  return {
    id: row.id,
    environment_id: row.environment_id,
    source: row.source,
    subject: row.subject,
    event_id: row.event_id,
    event_name: row.event_name,
    function_id: row.function_id,
    run_id: row.run_id,
    error: row.error,
    payload: Buffer.from(row.payload).toString("base64"),
    created_at: toTimestamp(row.created_at),
  };
}
