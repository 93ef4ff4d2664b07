import * as z from "zod/v4";

/** Section 2.12. */
export const SQL_LIMITS = {
  /** The longest query, in characters. */
  queryChars: 100_000,
  defaultTimeoutMs: 5_000,
  maxTimeoutMs: 30_000,
  defaultRows: 1_000,
  maxRows: 10_000,
} as const;

/** SQLite would stop reading at a NUL; the other control characters but tab and line ends have no business in SQL. */
export const SqlText = z
  .string()
  .min(1, "is required")
  .max(SQL_LIMITS.queryChars)
  .regex(/^(?:\P{Cc}|[\t\n\f\r])*$/u, "must have no control character");

/** 0 is protojson's way of saying nothing. */
const limit = (max: number) => z.number().int().min(0).max(max).optional();

/** `QueryService/ExecuteSQL`. */
export const ExecuteSqlRequest = z.strictObject({
  query: SqlText,
  timeoutMs: limit(SQL_LIMITS.maxTimeoutMs),
  maxRows: limit(SQL_LIMITS.maxRows),
});

/** `POST /api/v1/sql`. */
export const SqlBody = z.strictObject({
  query: SqlText,
  timeout_ms: limit(SQL_LIMITS.maxTimeoutMs),
  max_rows: limit(SQL_LIMITS.maxRows),
});

/** What ended an answer before the query had no more rows. */
export const SqlTruncation = z.enum(["rows", "bytes"]);

/** The REST answer. `rows` are texts, with "" for NULL; `typed_rows` tell NULL, numbers and texts apart. */
export const SqlAnswer = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  typed_rows: z.array(z.array(z.unknown())),
  total_rows: z.number().int(),
  truncated: z.boolean(),
  truncated_by: SqlTruncation.optional(),
  duration_ms: z.number(),
});
