import * as z from "zod/v4";

/** Run states as REST text (section 5). `pending` is retired and never written. */
export const RunStatus = z.enum([
  "running",
  "completed",
  "failed",
  "cancelled",
  "paused",
  "waiting_for_capacity",
  "waiting",
]);
export type RunStatus = z.infer<typeof RunStatus>;

/** A run in one of these states never changes again, except by resume (failed), redact and delete. */
export const TERMINAL_RUN_STATUSES: readonly RunStatus[] = ["completed", "failed", "cancelled"];

export const StepStatus = z.enum([
  "pending",
  "running",
  "completed",
  "failed",
  "sleeping",
  "waiting",
  "timed_out",
  "retrying",
  "dead",
]);
export type StepStatus = z.infer<typeof StepStatus>;

export const StepType = z.enum(["invoke", "sleep", "wait_for_event", "compensate", "invoke_function"]);
export type StepType = z.infer<typeof StepType>;

export const FunctionStatus = z.enum(["active", "paused", "archived"]);
export type FunctionStatus = z.infer<typeof FunctionStatus>;

export const ExecutionMode = z.enum(["push", "pull"]);
export type ExecutionMode = z.infer<typeof ExecutionMode>;

export const BreakerState = z.enum(["closed", "open", "half-open"]);
export type BreakerState = z.infer<typeof BreakerState>;

/** The prefixes that protojson puts before an enum's name: `RUN_STATUS_COMPLETED`. */
export const ENUM_PREFIX = {
  run: "RUN_STATUS_",
  step: "STEP_STATUS_",
  stepType: "STEP_TYPE_",
  function: "FUNCTION_STATUS_",
  mode: "EXECUTION_MODE_",
} as const;

export type EnumKind = keyof typeof ENUM_PREFIX;

/** `completed` -> `RUN_STATUS_COMPLETED`. */
export function toWireEnum(kind: EnumKind, value: string): string {
  return ENUM_PREFIX[kind] + value.toUpperCase();
}

/** `RUN_STATUS_COMPLETED`, `COMPLETED` and `completed` -> `completed` (old SDKs send the short forms, section 1.4). */
export function fromWireEnum(kind: EnumKind, value: string): string {
  const upper = value.toUpperCase();
  const prefix = ENUM_PREFIX[kind];
  return (upper.startsWith(prefix) ? upper.slice(prefix.length) : upper).toLowerCase();
}
