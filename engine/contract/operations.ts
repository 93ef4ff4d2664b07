import * as z from "zod/v4";
import { BreakerState } from "./enums.ts";

/** Health, info, breakers and dead letters on the wire, sections 2.1 and 2.11. */
export const HealthResponse = z.looseObject({
  status: z.string(),
  timestamp: z.string().optional(),
  version: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});

/** `GET /ready`, with 200 or 503. `issues` names what keeps it from its work. */
export const ReadyResponse = z.looseObject({
  status: z.string(),
  issues: z.record(z.string(), z.string()).optional(),
});

export const InfoResponse = z.looseObject({
  version: z.string().default(""),
  startedAt: z.string().optional(),
  functionCount: z.number().int().default(0),
  activeRuns: z.number().int().default(0),
  connectedWorkers: z.number().int().default(0),
});

export const CapabilitiesResponse = z.looseObject({
  transports: z.array(z.string()).default([]),
  features: z.array(z.string()).default([]),
  version: z.string().default(""),
  auth_required: z.boolean().optional(),
});

/** `GET /api/v1/circuit-breakers` answers a bare array of these. `key` goes back verbatim, percent-encoded. */
export const RestBreaker = z.looseObject({
  key: z.string(),
  function_id: z.string().default(""),
  endpoint: z.string().default(""),
  state: BreakerState,
  consecutive_fails: z.number().int().default(0),
  last_failure: z.string().nullish(),
  last_failure_reason: z.string().nullish(),
  /** Ours: when one that is not closed opened, when it lets a probe through, and how many runs wait behind it now. */
  opened_at: z.string().nullish(),
  open_until: z.string().nullish(),
  waiting_runs: z.number().int().nullish(),
});
export type RestBreaker = z.infer<typeof RestBreaker>;

/** Ours: `GET /api/v1/circuit-breakers/{key}/failures`, newest first. Recovery and reset leave them. */
export const RestBreakerFailure = z.looseObject({
  failed_at: z.string(),
  reason: z.string(),
  run_id: z.string().nullish(),
  opened: z.boolean(),
});
export type RestBreakerFailure = z.infer<typeof RestBreakerFailure>;
export const ListBreakerFailuresResponse = z.looseObject({ failures: z.array(RestBreakerFailure) });

/** When a breaker opens, how long it stays open, and what closes it again (section 2.11). */
export const BREAKER = { opensAfterFailures: 5, openMs: 60_000, probes: 1, reasonMaxChars: 500 } as const;

/**
 * Dead letters. Neither the route nor the row shape of the real engine is public (contract: U). The embedded engine
 * serves `GET /api/v1/dead-letters?env&source&limit&offset`; payload bytes are base64 as the tool page says.
 */
export const RestDeadLetter = z.looseObject({
  id: z.string(),
  environment_id: z.string().default(""),
  source: z.string(),
  subject: z.string().optional(),
  event_id: z.string().nullish(),
  event_name: z.string().nullish(),
  function_id: z.string().nullish(),
  run_id: z.string().nullish(),
  error: z.string(),
  payload: z.string(),
  created_at: z.string(),
});
export type RestDeadLetter = z.infer<typeof RestDeadLetter>;

export const ListDeadLettersResponse = z.looseObject({
  items: z.array(RestDeadLetter).default([]),
  total: z.number().int().default(0),
  limit: z.number().int().optional(),
  offset: z.number().int().optional(),
});
