import type { ToolError } from "../../mcp/contract/errors.ts";
import { toolByName, type ToolName, type ToolOutput } from "../../mcp/contract/tools.ts";

/** What asking led to. A failure is a value that a page shows, never an exception that it forgets. */
export type Answer<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: ToolError };

/** A failure on our side of the IPC: main did not answer, or what it answered does not fit. */
export function appFailure(error: string, code: "app_unreachable" | "bad_answer"): Answer<never> {
  return { ok: false, error: { error, code, retryable: true } };
}

/** Parses what a tool answered by its row of the table; names the first field that does not fit. */
export function parseAnswer<Name extends ToolName>(tool: Name, data: unknown): Answer<ToolOutput<Name>> {
  const parsed = toolByName(tool)?.output?.safeParse(data);
  // Safe: the row's own schema has just made this value.
  if (parsed?.success) return { ok: true, data: parsed.data as ToolOutput<Name> };
  const issue = parsed?.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
  return appFailure(
    `${tool} answered in an unknown shape: ${where}: ${issue?.message ?? "invalid"}`,
    "bad_answer",
  );
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
