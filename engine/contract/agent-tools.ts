import * as z from "zod/v4";

/** Tools that applications register for agents, section 2.13. */

export const AGENT_TOOL_LIMITS = {
  toolsPerAgent: 100,
  toolsPerEnvironment: 1_000,
  schemaChars: 65_536,
  schemaLevels: 64,
  descriptionChars: 4_096,
  defaultTimeoutMs: 30_000,
  maxTimeoutMs: 60_000,
  /** What `IRONFLOW_AGENT_TOOLS_MAX_TIMEOUT_MS` may be at most. */
  hardTimeoutMs: 120_000,
} as const;

const Part = z.string().regex(/^[A-Za-z0-9_-]{1,60}$/, "must be letters, digits, _ and -, at most 60");
const Scope = z
  .string()
  .regex(/^[A-Za-z0-9_*:-]+(\.[A-Za-z0-9_*:-]+)*$/, "must be words with dots between")
  .max(128);

export const RegisterToolRequest = z.strictObject({
  agentName: Part,
  callbackUrl: z.string().max(2048),
  tools: z
    .array(
      z.strictObject({
        name: Part,
        description: z.string().max(AGENT_TOOL_LIMITS.descriptionChars).optional(),
        inputSchemaJson: z.string().max(AGENT_TOOL_LIMITS.schemaChars).optional(),
        requiredScopes: z.array(Scope).max(16).optional(),
        timeoutMs: z.number().int().min(0).max(3_600_000).optional(),
      }),
    )
    .max(AGENT_TOOL_LIMITS.toolsPerAgent)
    .default([]),
});
export type RegisterToolRequest = z.infer<typeof RegisterToolRequest>;

/** Why a call has no output. */
export const TOOL_ERRORS = [
  "TOOL_NOT_FOUND",
  "SCOPE_MISMATCH",
  "INPUT_SCHEMA_INVALID",
  "CALLBACK_UNREACHABLE",
  "CALLBACK_TIMEOUT",
  "CALLBACK_INVALID_RESPONSE",
  "HANDLER_ERROR",
] as const;
export type ToolErrorCode = (typeof TOOL_ERRORS)[number];

/** What an application answers to a callback, with HTTP 200. */
export const CallbackAnswer = z.union([
  z.strictObject({ output: z.unknown().optional() }),
  z.strictObject({
    error: z.looseObject({ code: z.string().default("HANDLER_ERROR"), message: z.string().default("") }),
  }),
]);
