import * as z from "zod/v4";

/**
 * Runs and steps on the wire, section 2.2. Connect speaks protojson: lowerCamelCase, zero-valued fields left out, int64
 * as strings, enums by full name. Readers must take `…Value` when it is there: a Struct cannot hold a non-object.
 */
export const RunError = z.looseObject({
  message: z.string().default(""),
  code: z.string().optional(),
  stack: z.string().optional(),
  retryable: z.boolean().optional(),
  details: z.unknown().optional(),
});
export type RunError = z.infer<typeof RunError>;

const text = z.string().default("");
const count = z.number().int().default(0);
const payload = z.unknown().optional();

export const ConnectRun = z.looseObject({
  id: z.string(),
  functionId: text,
  eventId: text,
  eventName: z.string().optional(),
  executionMode: text,
  workerId: z.string().optional(),
  actorId: z.string().optional(),
  input: payload,
  inputValue: payload,
  output: payload,
  outputValue: payload,
  error: RunError.nullish(),
  errorValue: payload,
  status: text,
  attempt: count,
  maxAttempts: count,
  startedAt: z.string().nullish(),
  endedAt: z.string().nullish(),
  createdAt: text,
  updatedAt: text,
  pauseRequested: z.boolean().default(false),
  pauseReason: z.string().optional(),
  functionVersion: z.number().int().optional(),
  resumeFromStep: z.string().optional(),
  parentRunId: z.string().optional(),
  parentStepId: z.string().optional(),
  timeoutAt: z.string().nullish(),
  environmentId: z.string().optional(),
  version: z.number().int().optional(),
  cancellationCause: z.string().optional(),
});
export type ConnectRun = z.infer<typeof ConnectRun>;

export const ConnectStep = z.looseObject({
  id: z.string(),
  runId: text,
  stepId: text,
  stepType: text,
  sequence: count,
  status: text,
  input: payload,
  inputValue: payload,
  inputHash: z.string().optional(),
  output: payload,
  outputValue: payload,
  error: payload,
  errorValue: payload,
  attempt: count,
  durationMs: z.number().optional(),
  durationMsFull: z.union([z.string(), z.number()]).optional(),
  startedAt: z.string().nullish(),
  endedAt: z.string().nullish(),
  originalOutput: payload,
  originalOutputValue: payload,
  patchedAt: z.string().nullish(),
  patchedBy: z.string().optional(),
  compensationFor: z.string().optional(),
  sleepUntil: z.string().nullish(),
  waitEventName: z.string().optional(),
  waitTimeout: z.string().optional(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  storedStatus: z.string().optional(),
});
export type ConnectStep = z.infer<typeof ConnectStep>;

/** `ListRuns`: filters are ANDed; `since` is inclusive, `until` exclusive, both on creation time. */
export const ListRunsRequest = z.strictObject({
  functionId: z.string().optional(),
  status: z.string().optional(),
  statuses: z.array(z.string()).max(16).optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  limit: z.number().int().min(1).max(1000).optional(),
  cursor: z.string().max(1024).optional(),
  offset: z.number().int().min(0).optional(),
  search: z.string().max(256).optional(),
  eventId: z.string().optional(),
});
export type ListRunsRequest = z.infer<typeof ListRunsRequest>;

export const ListRunsResponse = z.looseObject({
  runs: z.array(ConnectRun).default([]),
  nextCursor: z.string().default(""),
  totalCount: z.number().int().default(0),
});

export const GetRunStepsResponse = z.looseObject({ steps: z.array(ConnectStep).default([]) });

/** `GET /api/v1/runs/{id}/attempts`, a route of the embedded engine: the attempts that failed, oldest first. */
export const RestAttempt = z.looseObject({
  attempt: z.number().int(),
  /** Whether the function answered with a failure, or the call to it failed. */
  kind: text,
  error: payload,
  failed_at: z.string(),
});
export const ListAttemptsResponse = z.looseObject({ attempts: z.array(RestAttempt).default([]) });

export const CancelRunRequest = z.strictObject({
  id: z.string().min(1),
  reason: z.string().max(4096).optional(),
});
export const ResumeRunRequest = z.strictObject({ runId: z.string().min(1), fromStep: z.string().optional() });
