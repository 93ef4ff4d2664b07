import * as z from "zod/v4";
import { EventPattern, FunctionId } from "./ids.ts";
import { jsonObject } from "./json-object.ts";
import { SecretName } from "./secrets.ts";

/** `RegisterFunction`, section 2.3, in camelCase as protojson writes it. */
export const RegisterFunctionRequest = z.strictObject({
  id: FunctionId,
  name: z.string().max(256).optional(),
  description: z.string().max(4096).optional(),
  triggers: z
    .array(
      z.strictObject({
        event: EventPattern.optional(),
        expression: z.string().max(1024).optional(),
        cron: z.string().max(256).optional(),
      }),
    )
    .max(64)
    .optional(),
  retry: z
    .strictObject({
      maxAttempts: z.number().int().min(1).max(1000).optional(),
      initialDelayMs: z.number().int().min(0).max(86_400_000).optional(),
      backoffFactor: z.number().min(1).max(100).optional(),
      maxDelayMs: z.number().int().min(0).max(604_800_000).optional(),
    })
    .optional(),
  timeoutMs: z.number().int().min(1).max(604_800_000).optional(),
  concurrency: z
    .strictObject({
      limit: z.number().int().min(1).max(10_000).optional(),
      key: z.string().max(1024).optional(),
    })
    .optional(),
  preferredMode: z.string().max(64).optional(),
  endpointUrl: z.string().max(2048).optional(),
  actorKey: z.string().max(1024).optional(),
  secrets: z.array(SecretName).max(64).optional(),
  recording: z.boolean().optional(),
  recordingRetention: z.string().max(64).optional(),
  recordingProfile: z.string().max(64).optional(),
  metadata: jsonObject().optional(),
  changeReason: z.string().max(1024).optional(),
  debounce: z
    .strictObject({
      periodMs: z.number().int().min(1000).optional(),
      key: z.string().max(1024).optional(),
      maxWaitMs: z.number().int().min(1).optional(),
    })
    .optional(),
  cancelOn: z
    .array(z.strictObject({ event: EventPattern, match: z.string().max(1024).optional() }))
    .max(16)
    .optional(),
});
export type RegisterFunctionRequest = z.infer<typeof RegisterFunctionRequest>;
