import type * as z from "zod/v4";
import type { ToolRow } from "./tool-row.ts";
import { DIRECTORY_ROWS } from "./tools/directory.ts";
import { EVENT_ROWS } from "./tools/events.ts";
import { FUNCTION_ROWS } from "./tools/functions.ts";
import { OPERATION_ROWS } from "./tools/operations.ts";
import { RUN_ROWS } from "./tools/runs.ts";
import { SERVER_ROWS } from "./tools/server.ts";
import { TERMINAL_ROWS } from "./tools/terminal.ts";

/** The tool table: every row that exists, in the order in which tools are listed. */
export const TOOLS = [
  ...SERVER_ROWS,
  ...RUN_ROWS,
  ...FUNCTION_ROWS,
  ...EVENT_ROWS,
  ...DIRECTORY_ROWS,
  ...OPERATION_ROWS,
  ...TERMINAL_ROWS,
] as const;

type Row = (typeof TOOLS)[number];
type RowOf<Name extends ToolName> = Extract<Row, { name: Name }>;

export type ToolName = Row["name"];

/** A tool's arguments after parsing: defaults are filled in. */
export type ToolInput<Name extends ToolName> = z.output<RowOf<Name>["input"]>;

/** A tool's arguments as a caller writes them. */
export type ToolArguments<Name extends ToolName> = z.input<RowOf<Name>["input"]>;

/** What a tool answers: its `structuredContent`. */
export type ToolOutput<Name extends ToolName> = z.output<NonNullable<RowOf<Name>["output"]>>;

const BY_NAME = new Map<string, ToolRow>(TOOLS.map((row) => [row.name, row]));

/** The row of a tool, or undefined when there is none (yet). */
export const toolByName = (name: string): ToolRow | undefined => BY_NAME.get(name);
