import * as z from "zod/v4";
import { ExecutionMode, FunctionStatus, RunStatus, StepStatus, StepType } from "./enums.ts";

/** Runs, steps, functions and audit rows as REST answers them, sections 2.2, 2.3 and 2.14. */

const time = z.string();

export const RestRun = z.looseObject({
  id: z.string(),
  function_id: z.string(),
  event_id: z.string(),
  event_name: z.string().optional(),
  execution_mode: ExecutionMode,
  worker_id: z.string().optional(),
  status: RunStatus,
  attempt: z.number().int(),
  max_attempts: z.number().int(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  function_version: z.number().int().optional(),
  created_at: time,
  updated_at: time,
  started_at: time.optional(),
  ended_at: time.optional(),
  timeout_at: time.optional(),
  parent_run_id: z.string().optional(),
  parent_step_id: z.string().optional(),
  resume_from_step: z.string().optional(),
  pause_reason: z.string().optional(),
  cancellation_cause: z.string().optional(),
});

export const RestRunList = z.looseObject({
  runs: z.array(RestRun),
  count: z.number().int(),
  total_count: z.number().int(),
  next_cursor: z.string().optional(),
});

export const RestStep = z.looseObject({
  id: z.string(),
  run_id: z.string(),
  step_id: z.string(),
  step_type: StepType,
  sequence: z.number().int(),
  status: StepStatus,
  attempt: z.number().int(),
  created_at: time,
  updated_at: time,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  original_output: z.unknown().optional(),
  error: z.unknown().optional(),
  duration_ms: z.number().int().optional(),
  started_at: time.optional(),
  ended_at: time.optional(),
  patched_at: time.optional(),
  patched_by: z.string().optional(),
  child_run_id: z.string().optional(),
  sleep_until: time.optional(),
  wait_event_name: z.string().optional(),
  wait_timeout: time.optional(),
});

export const RestStepList = z.looseObject({ steps: z.array(RestStep), count: z.number().int() });

export const RestFunction = z.looseObject({
  id: z.string(),
  slug: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  triggers: z.array(z.looseObject({})),
  status: FunctionStatus,
  execution_mode: ExecutionMode,
  endpoint_url: z.string().optional(),
  timeout_ms: z.number(),
  retry_attempts: z.number().int(),
  retry_delay_ms: z.number(),
  retry_backoff: z.number(),
  version: z.number().int(),
  metadata: z.unknown().optional(),
  created_at: time,
  updated_at: time,
});

export const RestFunctionList = z.looseObject({
  functions: z.array(RestFunction),
  count: z.number().int(),
  total_count: z.number().int(),
});

export const RestAuditEvent = z.looseObject({
  id: z.string(),
  run_id: z.string().nullable(),
  function_id: z.string().nullable(),
  step_id: z.string().optional(),
  event_type: z.string(),
  payload: z.unknown(),
  environment_id: z.string(),
  created_at: time,
});

export const RestAuditPage = z.looseObject({
  events: z.array(RestAuditEvent),
  next_cursor: z.string().optional(),
  total_count: z.number().int(),
});

/** `POST /api/v1/events` and the invoke of a function. */
export const RestEmitted = z.looseObject({ event_id: z.string(), run_ids: z.array(z.string()) });
export const RestInvoked = z.looseObject({ event_id: z.string(), run_id: z.string() });

/** What a route answers that has nothing to say but that it is done. */
export const RestStatus = z.looseObject({ status: z.string() });
