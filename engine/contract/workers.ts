import * as z from "zod/v4";
import { FunctionId } from "./ids.ts";
import { RunError } from "./runs.ts";
import { Yield } from "./push.ts";

/** What pull workers send, section 4. Fields an older or newer SDK adds are let through and not looked at. */

export const WorkerId = FunctionId;

const count = z.number().int().min(0).max(1_000_000);

export const RegisterWorkerRequest = z.looseObject({
  worker_id: WorkerId.optional(),
  hostname: z.string().max(256).default(""),
  function_ids: z.array(FunctionId).max(1_000).default([]),
  max_concurrent_jobs: count.default(0),
  labels: z.record(z.string().max(256), z.string().max(1_024)).nullish(),
  version: z
    .looseObject({ sdk: z.string().max(256).optional(), runtime: z.string().max(256).optional() })
    .nullish(),
});
export type RegisterWorkerRequest = z.infer<typeof RegisterWorkerRequest>;

export const HeartbeatRequest = z.looseObject({
  worker_id: WorkerId.optional(),
  active_jobs: count.default(0),
  jobs: z
    .array(z.looseObject({ job_id: z.string().max(512), started_at: z.string().max(64).optional() }))
    .max(10_000)
    .nullish(),
});

const lease = {
  run_id: z.string().max(256).optional(),
  execution_seq: z.number().int().min(0).optional(),
  lease_token: z.string().max(256).optional(),
};

export const AckRequest = z.looseObject(lease);

/** A step as a worker reports it: the full id is `id` or `step_id`. */
export const ReportedStep = z.looseObject({
  id: z.string().min(1).optional(),
  step_id: z.string().min(1).optional(),
  name: z.string(),
  type: z.enum(["invoke", "sleep", "wait_for_event", "compensate"]).default("invoke"),
  status: z.enum(["completed", "failed"]).default("completed"),
  started_at: z.string().optional(),
  ended_at: z.string().optional(),
  duration_ms: z.number().optional(),
  output: z.unknown().optional(),
  error: z.union([RunError, z.string().transform((message): RunError => ({ message }))]).nullish(),
  compensation_for: z.string().optional(),
});

const report = {
  ...lease,
  steps: z.array(ReportedStep).max(500).nullish(),
  step_offset: z.number().int().min(0).optional(),
};

export const JobReport = z.discriminatedUnion("status", [
  z.looseObject({ ...report, status: z.literal("progress") }),
  z.looseObject({ ...report, status: z.literal("completed"), output: z.unknown().optional() }),
  z.looseObject({
    ...report,
    status: z.literal("failed"),
    error: z.looseObject({
      message: z.string().default(""),
      code: z.string().optional(),
      retryable: z.boolean().default(true),
      stack: z.string().optional(),
    }),
  }),
  z.looseObject({ ...report, status: z.literal("yielded"), yield: Yield }),
]);
export type JobReport = z.infer<typeof JobReport>;

/** What the engine hands to a worker. Payloads are the caller's own JSON. */
export const JobAssignment = z.looseObject({
  job_id: z.string(),
  run_id: z.string(),
  function_id: z.string(),
  attempt: z.number().int(),
  event: z.looseObject({ id: z.string(), name: z.string(), data: z.unknown().optional() }),
  completed_steps: z.array(
    z.looseObject({ step_id: z.string(), name: z.string(), output: z.unknown().optional() }),
  ),
  execution_seq: z.number().int(),
  lease_token: z.string(),
  lease_expires_at: z.string(),
  max_attempts: z.number().int(),
});
export type JobAssignment = z.infer<typeof JobAssignment>;
