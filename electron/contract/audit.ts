import * as z from "zod/v4";

/** Most rows of one answer. */
export const AUDIT_ROWS_MAX = 200;

/**
 * One row of the audit. `event`: `mcp.call`, `mcp.result`, `mcp.refused`, `consent.asked`, `consent.<outcome>`, `panic.on`,
 * `panic.off`. `user`: `user`, `token:<name>`, or `unknown`. Argument values are never in it. `remote` is the socket's other
 * end; `forwarded_for` is only what a proxy claims.
 */
export const AuditRow = z.object({
  /** UTC, RFC 3339. */
  time: z.string(),
  event: z.string(),
  user: z.string(),
  remote: z.string().optional(),
  forwarded_for: z.string().optional(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** What rows are wanted. A trailing dot makes `event` a beginning: `mcp.` is every event of the endpoint. */
export const AuditQuery = z.strictObject({
  event: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Exact event, or with a trailing dot every event that begins so, for example mcp. or consent."),
  user: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("Exact user: user for the person, token:<name> for an agent."),
  tool: z.string().min(1).max(128).optional().describe("Exact name of the tool that the row is about."),
  call_id: z.string().min(1).max(64).optional().describe("Only rows of this call, its question included."),
  since: z.iso
    .datetime({
      offset: true,
      error: "must be an RFC 3339 time with a zone, for example 2026-11-30T09:00:00Z",
    })
    .optional()
    .describe("Only rows of this time or later, RFC 3339."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(AUDIT_ROWS_MAX)
    .default(AUDIT_ROWS_MAX)
    .describe(`How many rows at most, 1 to ${AUDIT_ROWS_MAX}; ${AUDIT_ROWS_MAX} when left out.`),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** Newest first. */
export const AuditPage = z.object({
  rows: z.array(AuditRow),
  count: z.number().int(),
  /** Rows that did not reach the disk since the app started. */
  lost: z.number().int(),
});
export type AuditPage = z.infer<typeof AuditPage>;
