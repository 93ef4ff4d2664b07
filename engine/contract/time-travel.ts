import * as z from "zod/v4";

/** `TimeTravelService`, section 2.14. `bytes` are base64 of JSON text. */
const bytes = z.string().default("");

export const RunSnapshot = z.looseObject({
  runId: z.string(),
  functionId: z.string().default(""),
  status: z.string(),
  input: bytes,
  output: bytes,
  error: bytes,
  steps: z
    .array(
      z.looseObject({
        id: z.string(),
        name: z.string().default(""),
        stepType: z.string().default(""),
        status: z.string(),
        output: bytes,
        startedAt: z.string().optional(),
        endedAt: z.string().optional(),
      }),
    )
    .default([]),
  timestamp: z.string(),
  createdAt: z.string().optional(),
});

export const RunTimelineEvent = z.looseObject({
  id: z.string(),
  eventType: z.string(),
  stepId: z.string().default(""),
  stepName: z.string().default(""),
  summary: z.string().default(""),
  significant: z.boolean().default(false),
  timestamp: z.string(),
});
