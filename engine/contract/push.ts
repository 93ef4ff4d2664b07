import * as z from "zod/v4";
import { jsonObject } from "./json-object.ts";
import { RunError } from "./runs.ts";

/** What the engine posts to a push function and what it takes back, sections 3.1 and 3.2. */
export const PushStep = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(["completed", "failed", "timed_out"]),
  output: z.unknown().optional(),
  error: z.string().optional(),
});

export const PushRequest = z.looseObject({
  run_id: z.string(),
  function_id: z.string(),
  attempt: z.number().int().min(1),
  event: z.looseObject({
    id: z.string(),
    name: z.string(),
    data: z.unknown(),
    timestamp: z.string(),
    version: z.number().int().min(1).default(1),
    source: z.string().optional(),
    idempotency_key: z.string().optional(),
    metadata: jsonObject().nullish(),
  }),
  steps: z.array(PushStep).nullable(),
  secrets: z.record(z.string(), z.string()).optional(),
});
export type PushRequest = z.infer<typeof PushRequest>;

export const StepResult = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  type: z.enum(["invoke", "sleep", "wait_for_event", "compensate"]),
  status: z.enum(["completed", "failed"]),
  started_at: z.string(),
  ended_at: z.string().optional(),
  duration_ms: z.number().optional(),
  output: z.unknown().optional(),
  error: RunError.optional(),
  compensation_for: z.string().optional(),
});
export type StepResult = z.infer<typeof StepResult>;

export const Yield = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("sleep"), step_id: z.string(), until: z.string() }),
  z.looseObject({
    type: z.literal("wait_for_event"),
    step_id: z.string(),
    event_filter: z.looseObject({
      event: z.string().min(1),
      match: z.string().optional(),
      match_value: z.unknown().optional(),
      timeout: z.string().default("7d"),
    }),
  }),
  z.looseObject({
    type: z.literal("invoke_function"),
    step_id: z.string(),
    function_id: z.string(),
    input: z.unknown().optional(),
    invoke_timeout_ms: z.number().int().default(30_000),
  }),
  z.looseObject({
    type: z.literal("invoke_function_async"),
    step_id: z.string(),
    function_id: z.string(),
    input: z.unknown().optional(),
  }),
]);
export type Yield = z.infer<typeof Yield>;

const steps = z.array(StepResult).nullish();

/** The answer comes with HTTP 200; any 4xx or 5xx counts as a transport error. */
export const PushResponse = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal("completed"), steps, result: z.unknown().optional() }),
  z.looseObject({ status: z.literal("yielded"), steps, yield: Yield }),
  z.looseObject({
    status: z.literal("failed"),
    steps,
    error: z.looseObject({
      message: z.string(),
      code: z.string().optional(),
      step_id: z.string().optional(),
      retryable: z.boolean(),
      stack: z.string().optional(),
    }),
  }),
]);
export type PushResponse = z.infer<typeof PushResponse>;
