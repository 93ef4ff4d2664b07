import type * as z from "zod/v4";
import type { TextBlocks, ToolRow } from "./tool-row.ts";
import { DIRECTORY_ROWS } from "./tools/directory.ts";
import { DOC_ROWS } from "./tools/docs.ts";
import { EVENT_ROWS } from "./tools/events.ts";
import { FUNCTION_ROWS } from "./tools/functions.ts";
import { OPERATION_ROWS } from "./tools/operations.ts";
import { OUTBOX_ROWS } from "./tools/outbox.ts";
import { PROJECTION_ROWS } from "./tools/projections.ts";
import { REDACTION_ROWS } from "./tools/redaction.ts";
import { RELOAD_ROWS } from "./tools/reload.ts";
import { RUN_ROWS } from "./tools/runs.ts";
import { SERVER_ROWS } from "./tools/server.ts";
import { SQL_ROWS } from "./tools/sql.ts";
import { STORAGE_ROWS } from "./tools/storage.ts";
import { STREAM_ROWS } from "./tools/streams.ts";
import { TERMINAL_ROWS } from "./tools/terminal.ts";

/** The tool table: every row that exists, in the order in which tools are listed. */
export const TOOLS = [
  ...SERVER_ROWS,
  ...DOC_ROWS,
  ...RUN_ROWS,
  ...FUNCTION_ROWS,
  ...EVENT_ROWS,
  ...STREAM_ROWS,
  ...PROJECTION_ROWS,
  ...SQL_ROWS,
  ...DIRECTORY_ROWS,
  ...STORAGE_ROWS,
  ...OPERATION_ROWS,
  ...OUTBOX_ROWS,
  ...REDACTION_ROWS,
  ...RELOAD_ROWS,
  ...TERMINAL_ROWS,
] as const;

type Row = (typeof TOOLS)[number];
type RowOf<Name extends ToolName> = Extract<Row, { name: Name }>;

export type ToolName = Row["name"];

/** A tool's arguments after parsing: defaults are filled in. */
export type ToolInput<Name extends ToolName> = z.output<RowOf<Name>["input"]>;

/** A tool's arguments as a caller writes them. */
export type ToolArguments<Name extends ToolName> = z.input<RowOf<Name>["input"]>;

/** What a tool answers: its `structuredContent`, or the text blocks of one that answers text only. */
export type ToolOutput<Name extends ToolName> = RowOf<Name>["output"] extends z.ZodType
  ? z.output<RowOf<Name>["output"]>
  : TextBlocks;

const BY_NAME = new Map<string, ToolRow>(TOOLS.map((row) => [row.name, row]));

/** The row of a tool, or undefined when there is none (yet). */
export const toolByName = (name: string): ToolRow | undefined => BY_NAME.get(name);
