import * as z from "zod/v4";

/** Functions on the wire, section 2.3. */
export const Trigger = z.looseObject({
  event: z.string().optional(),
  expression: z.string().optional(),
  cron: z.string().optional(),
});
export type Trigger = z.infer<typeof Trigger>;

export const RetryPolicy = z.looseObject({
  maxAttempts: z.number().int().optional(),
  initialDelayMs: z.number().int().optional(),
  backoffFactor: z.number().optional(),
  maxDelayMs: z.number().int().optional(),
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;

/** What the engine assumes where a function says nothing (sections 3.1 and 5). */
export const FUNCTION_DEFAULTS = {
  maxAttempts: 3,
  initialDelayMs: 1_000,
  backoffFactor: 2,
  maxDelayMs: 300_000,
  timeoutMs: 600_000,
  pushTimeoutMs: 10_000,
} as const;

export const ConnectFunction = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  triggers: z.array(Trigger).default([]),
  retry: RetryPolicy.optional(),
  timeoutMs: z.number().int().optional(),
  concurrency: z.looseObject({ limit: z.number().int().optional(), key: z.string().optional() }).optional(),
  preferredMode: z.string().optional(),
  endpointUrl: z.string().optional(),
  actorKey: z.string().optional(),
  secrets: z.array(z.string()).optional(),
  recording: z.boolean().optional(),
  metadata: z.unknown().optional(),
  debounce: z.unknown().optional(),
  cancelOn: z.array(z.looseObject({ event: z.string(), match: z.string().optional() })).optional(),
  status: z.string().default(""),
  version: z.number().int().default(0),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
});
export type ConnectFunction = z.infer<typeof ConnectFunction>;

export const ListFunctionsResponse = z.looseObject({
  functions: z.array(ConnectFunction).default([]),
  nextCursor: z.string().default(""),
  totalCount: z.number().int().default(0),
});

/** Newest version first. */
export const ListFunctionHistoryResponse = z.looseObject({
  versions: z
    .array(
      z.looseObject({
        version: z.number().int().default(0),
        changeReason: z.string().optional(),
        createdAt: z.string().optional(),
      }),
    )
    .default([]),
  totalCount: z.number().int().optional(),
});

/** `InvokeFunction` and era-A `POST /functions/{id}/invoke`. */
export const InvokeResponse = z.looseObject({ runId: z.string(), eventId: z.string().default("") });
