import * as z from "zod/v4";

/** What the engine and the process that reads for it say to each other: one JSON line each way for a query. */

export const SqlTask = z.strictObject({
  sql: z.string(),
  maxRows: z.number().int(),
  maxBytes: z.number().int(),
});
export type SqlTask = z.output<typeof SqlTask>;

export const SqlReply = z.discriminatedUnion("kind", [
  /** Said once: the database is open. */
  z.object({ kind: z.literal("ready") }),
  z.object({
    kind: z.literal("rows"),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.string())),
    /** Each row as the JSON text of an array. */
    typedRows: z.array(z.string()),
    truncatedBy: z.enum(["rows", "bytes"]).optional(),
  }),
  z.object({
    kind: z.literal("refused"),
    reason: z.enum(["invalid", "denied", "too-large", "failed"]),
    message: z.string(),
  }),
]);
export type SqlReply = z.output<typeof SqlReply>;
