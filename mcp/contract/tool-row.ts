import * as z from "zod/v4";

/**
 * How much harm a call can do. `read` and `write` run at once when the caller may; `destructive` asks a person, who may
 * have the answer remembered; `irreversible` always asks.
 */
export const Risk = z.enum(["read", "write", "destructive", "irreversible"]);
export type Risk = z.infer<typeof Risk>;

/** The permission a token needs beside `mcp.call`. */
export const ToolPermission = z.enum(["mcp.call", "mcp.write", "mcp.terminal", "mcp.audit"]);
export type ToolPermission = z.infer<typeof ToolPermission>;

/** In which mode of the tool server a row exists (27 read, 16 write, 1 evidence, 2 terminal), or only for our app. */
export const ToolMode = z.enum(["read", "write", "evidence", "terminal"]);
export type ToolMode = z.infer<typeof ToolMode>;

export type ToolHints = {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
};

/** One row of the tool table. The description is written for a model: what it does, when not to use it, what returns. */
export type ToolRow<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType | null = z.ZodType | null,
> = {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Shape of `structuredContent`; null where a tool answers text only. */
  readonly output: Output;
  /** The engine answers a bare array: it is the text, and `structuredContent` wraps it as `{"items": [...]}`. */
  readonly bareArray?: true;
  readonly hints: ToolHints;
  readonly risk: Risk;
  /** An argument that, when it is true, makes the call change nothing: then nobody is asked. */
  readonly trial?: string;
  readonly permission: ToolPermission;
  readonly mode: ToolMode;
  /** Who is offered the row. Main never publishes an `app` row to agents. */
  readonly for: "agent" | "app" | "both";
};

/** What a tool answers that has no output schema: its content, one text block each. */
export type TextBlocks = { readonly blocks: readonly string[] };

/** Keeps the literal types of a row, so that callers get typed arguments and results. */
export function toolRow<
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType | null,
>(row: ToolRow<Name, Input, Output>): ToolRow<Name, Input, Output> {
  return row;
}

export const READ_HINTS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** What all rows of a kind share. */
export const READ_ROW = {
  hints: READ_HINTS,
  risk: "read",
  permission: "mcp.call",
  mode: "read",
  for: "both",
} as const;

/** Adds something, and starts code of the application that may reach anything. */
export const WRITE_ROW = {
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  risk: "write",
  permission: "mcp.write",
  mode: "write",
  for: "both",
} as const;

/** Ends or overwrites something; the same call again changes nothing more. */
export const DESTRUCTIVE_ROW = {
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  risk: "destructive",
  permission: "mcp.write",
  mode: "write",
  for: "both",
} as const;

export const IRREVERSIBLE_ROW = { ...DESTRUCTIVE_ROW, risk: "irreversible" } as const;
