import * as z from "zod/v4";
import {
  BreakerState,
  ExecutionMode,
  FunctionStatus,
  RunStatus,
  StepStatus,
  StepType,
} from "../../engine/contract/enums.ts";

/**
 * What a tool answers, whatever engine and era it came from: snake_case names, statuses in lower case, times in
 * RFC 3339, and a payload field that is either there or not (the `…Value` twins of the wire are resolved).
 * Unknown status words of a newer engine pass through as text, so a page never breaks on one.
 */
const orText = <T extends z.ZodType<string>>(known: T) => z.union([known, z.string()]);

/** A whole number; as text with its exact digits where a JSON number would lose some. */
export const WideInteger = z.union([z.number().int(), z.string().regex(/^-?\d+$/)]);
export type WideInteger = z.infer<typeof WideInteger>;

export const RunErrorInfo = z.object({
  message: z.string(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  stack: z.string().optional(),
});
export type RunErrorInfo = z.infer<typeof RunErrorInfo>;

/** A run without its payloads: what lists carry. */
export const RunSummary = z.object({
  id: z.string(),
  function_id: z.string(),
  event_id: z.string(),
  event_name: z.string().optional(),
  execution_mode: orText(ExecutionMode),
  status: orText(RunStatus),
  attempt: z.number().int(),
  max_attempts: z.number().int(),
  pause_reason: z.string().optional(),
  parent_run_id: z.string().optional(),
  function_version: z.number().int().optional(),
  cancellation_cause: z.string().optional(),
  error: RunErrorInfo.optional(),
  created_at: z.string(),
  updated_at: z.string(),
  started_at: z.string().optional(),
  ended_at: z.string().optional(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** What a run that waits is held by. `until`: when a sleep ends, or a wait gives up. */
export const WaitingFor = z.object({
  step: z.string(),
  step_type: orText(StepType),
  event: z.string().optional(),
  until: z.string().optional(),
});
export type WaitingFor = z.infer<typeof WaitingFor>;

/** One run in full. */
export const Run = RunSummary.extend({
  worker_id: z.string().optional(),
  actor_id: z.string().optional(),
  parent_step_id: z.string().optional(),
  resume_from_step: z.string().optional(),
  timeout_at: z.string().optional(),
  environment_id: z.string().optional(),
  waiting_for: WaitingFor.optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
});
export type Run = z.infer<typeof Run>;

/** `id` is the row id (what redact_step takes), `step_id` the step's own id, `name` its name as the code wrote it. */
export const Step = z.object({
  id: z.string(),
  run_id: z.string(),
  step_id: z.string(),
  name: z.string(),
  step_type: orText(StepType),
  sequence: z.number().int(),
  status: orText(StepStatus),
  attempt: z.number().int(),
  duration_ms: z.number().optional(),
  started_at: z.string().optional(),
  ended_at: z.string().optional(),
  created_at: z.string().optional(),
  sleep_until: z.string().optional(),
  wait_event_name: z.string().optional(),
  wait_timeout: z.string().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: RunErrorInfo.optional(),
  patched_at: z.string().optional(),
  patched_by: z.string().optional(),
  compensation_for: z.string().optional(),
});
export type Step = z.infer<typeof Step>;

export const EventRecord = z.object({
  id: z.string(),
  name: z.string(),
  timestamp: z.string(),
  source: z.string(),
  data: z.unknown(),
  metadata: z.unknown().optional(),
  idempotency_key: z.string().optional(),
  entity_id: z.string().optional(),
  entity_type: z.string().optional(),
  run_id: z.string().optional(),
});
export type EventRecord = z.infer<typeof EventRecord>;

export const FunctionRecord = z.object({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  status: orText(FunctionStatus),
  version: z.number().int(),
  execution_mode: orText(ExecutionMode),
  endpoint_url: z.string().optional(),
  triggers: z.array(
    z.object({
      event: z.string().optional(),
      expression: z.string().optional(),
      cron: z.string().optional(),
    }),
  ),
  timeout_ms: z.number().int().optional(),
  max_attempts: z.number().int().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type FunctionRecord = z.infer<typeof FunctionRecord>;

export const Breaker = z.object({
  key: z.string(),
  function_id: z.string(),
  endpoint: z.string(),
  state: orText(BreakerState),
  consecutive_fails: z.number().int(),
  last_failure: z.string().optional(),
  last_failure_reason: z.string().optional(),
  /** When it opened last: each failed probe opens it anew. */
  opened_at: z.string().optional(),
  open_until: z.string().optional(),
  waiting_runs: z.number().int().optional(),
});
export type Breaker = z.infer<typeof Breaker>;

/** One failed call that a breaker counted. `opened`: with this one it opened. */
export const BreakerFailure = z.object({
  failed_at: z.string(),
  reason: z.string(),
  run_id: z.string().optional(),
  opened: z.boolean(),
});
export type BreakerFailure = z.infer<typeof BreakerFailure>;

export const DeadLetter = z.object({
  id: z.string(),
  environment_id: z.string(),
  source: z.string(),
  event_id: z.string().optional(),
  event_name: z.string().optional(),
  function_id: z.string().optional(),
  run_id: z.string().optional(),
  error: z.string(),
  payload: z.string(),
  created_at: z.string(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

/** An event without its payload: what the overview shows. */
/** An attempt of a run that failed. `kind` tells a failure the function reported from a call to it that failed. */
export const RunAttempt = z.object({
  attempt: z.number().int(),
  kind: orText(z.enum(["function", "transport"])),
  error: RunErrorInfo,
  failed_at: z.string(),
});
export type RunAttempt = z.infer<typeof RunAttempt>;

export const EventSummary = EventRecord.pick({
  id: true,
  name: true,
  timestamp: true,
  source: true,
  run_id: true,
});
export type EventSummary = z.infer<typeof EventSummary>;

/** One function with its whole configuration. */
export const FunctionDetail = FunctionRecord.extend({
  retry: z
    .object({
      max_attempts: z.number().int().optional(),
      initial_delay_ms: z.number().int().optional(),
      backoff_factor: z.number().optional(),
      max_delay_ms: z.number().int().optional(),
    })
    .optional(),
  concurrency: z.object({ limit: z.number().int().optional(), key: z.string().optional() }).optional(),
  debounce: z.unknown().optional(),
  cancel_on: z.array(z.object({ event: z.string(), match: z.string().optional() })).optional(),
  actor_key: z.string().optional(),
  /** Names only. */
  secrets: z.array(z.string()).optional(),
  recording: z.boolean().optional(),
  metadata: z.unknown().optional(),
});
export type FunctionDetail = z.infer<typeof FunctionDetail>;

/** One registration of a function. */
export const FunctionVersion = z.object({
  version: z.number().int(),
  /** What was given as the reason, where anything was. */
  change_reason: z.string().optional(),
  created_at: z.string().optional(),
});
export type FunctionVersion = z.infer<typeof FunctionVersion>;

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  org_id: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type Project = z.infer<typeof Project>;

export const Environment = z.object({
  id: z.string(),
  name: z.string(),
  color: z.string().optional(),
  project_id: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type Environment = z.infer<typeof Environment>;

export const Worker = z.object({
  id: z.string(),
  hostname: z.string(),
  function_ids: z.array(z.string()),
  active_jobs: z.number().int(),
  max_concurrent: z.number().int(),
  labels: z.record(z.string(), z.string()).optional(),
  transport: z.string().optional(),
  version: z.object({ sdk: z.string().optional(), runtime: z.string().optional() }).optional(),
  registered_at: z.string().optional(),
  last_heartbeat: z.string().optional(),
});
export type Worker = z.infer<typeof Worker>;

/**
 * Stands in the place of a payload that would make an answer too large for one message. Largest payloads go first, so
 * that the rest of the answer stays whole.
 */
export const OmittedPayload = z.object({
  $omitted: z.object({ bytes: z.number().int(), reason: z.string() }),
});
export type OmittedPayload = z.infer<typeof OmittedPayload>;
