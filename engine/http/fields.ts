import * as z from "zod/v4";
import { fromWireEnum, FunctionStatus, RunStatus } from "../contract/enums.ts";
import { Timestamp } from "../contract/ids.ts";
import { ApiError } from "../errors.ts";

/** Pieces of request schemas that several routes share. */

/** Text without control characters: SQLite would cut it at a NUL. */
export const plainText = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .regex(/^\P{Cc}*$/u, "must have no control character");

export const IdempotencyKey = plainText(512);

/** An id in a path or filter. Only its size and characters matter: an unknown one finds nothing. */
export const IdText = plainText(512).min(1);

/** RFC 3339 as ms since 1970. */
export const TimeMs = Timestamp.transform((text) => Date.parse(text));

/** A whole number in a query. */
export const queryInt = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().int().min(min).max(max));

/** Protojson's int64: a number, or its digits as a text. */
export const int64 = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,16}$/, "must be a whole number")
        .transform(Number),
    ])
    .pipe(z.number().int().min(min).max(max));

/** Protojson's Duration, `1.5s`, as ms; nothing is the default, and more than the most is cut. */
export const durationMs = (defaultMs: number, mostMs: number) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?s$/, "must be a duration like 1.5s")
    .optional()
    .transform((text) =>
      text === undefined ? defaultMs : Math.min(mostMs, Math.round(Number.parseFloat(text) * 1000)),
    );

/** `failed`, `FAILED` and `RUN_STATUS_FAILED`. */
export const RunStatusText = z
  .string()
  .transform((text) => fromWireEnum("run", text))
  .pipe(RunStatus);

export const FunctionStatusText = z
  .string()
  .transform((text) => fromWireEnum("function", text))
  .pipe(FunctionStatus);

/** `failed,paused`. Empty means no filter. */
export const RunStatusList = z
  .string()
  .max(512)
  .transform((text) => text.split(",").map((part) => part.trim()))
  .transform((parts) => parts.filter((part) => part !== ""))
  .pipe(z.array(RunStatusText));

/** Protojson sends "" and UNSPECIFIED for an enum that is not set. */
export const unsetEnum = (text: string) => text === "" || text.toUpperCase().endsWith("UNSPECIFIED");

/** Parses what stands in a path or header. @throws ApiError invalid_argument that names the part */
export function parsePart<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError("invalid_argument", `${part}: ${parsed.error.issues[0]?.message ?? "invalid"}`);
}
