import type * as z from "zod/v4";
import type { ToolError } from "../../mcp/contract/errors.ts";

/** What asking led to. A failure is a value that a page shows, never an exception that it forgets. */
export type Answer<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: ToolError };

/** A failure on our side of the IPC: main did not answer, or what it answered does not fit. */
export function appFailure(error: string, code: "app_unreachable" | "bad_answer"): Answer<never> {
  return { ok: false, error: { error, code, retryable: true } };
}

/** Parses what a tool answered; names the first field that does not fit. */
export function parseAnswer<T>(tool: string, schema: z.ZodType<T>, data: unknown): Answer<T> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return { ok: true, data: parsed.data };
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
  return appFailure(
    `${tool} answered in an unknown shape: ${where}: ${issue?.message ?? "invalid"}`,
    "bad_answer",
  );
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
