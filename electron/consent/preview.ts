import type { ToolError } from "../../mcp/contract/errors.ts";
import type { TOOL_NAMES } from "../../mcp/contract/tool-names.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { isApplicationRow } from "../mcp-endpoint/application-rows.ts";
import { applicationTool } from "./previews/application-tool.ts";
import { discardOutbox, rebuildProjection, requeueOutbox, resetBreaker } from "./previews/operations.ts";
import { ReadFailed, type Preview, type Previewer, type ReadTool } from "./previews/read-target.ts";
import { cancelRun, deleteRun, redactRun, redactStep } from "./previews/runs.ts";
import { putValue, setSecret } from "./previews/storage.ts";
import { deleteStream, redactEvent } from "./previews/streams.ts";
import { previewCommand, previewInput } from "./terminal-preview.ts";

export type PreviewResult = { readonly preview: Preview } | { readonly error: ToolError };

type Risks = typeof TOOL_NAMES;
/** Every tool of the table that asks. */
type AskingTool = {
  [Name in keyof Risks]: Risks[Name]["risk"] extends "destructive" | "irreversible" ? Name : never;
}[keyof Risks];

/** One for each tool that asks: a missing one is a compile error, and fails a test. */
const ASKING: Readonly<Record<AskingTool, Previewer>> = {
  ironflow_delete_stream: deleteStream,
  ironflow_redact_event: redactEvent,
  ironflow_redact_run: redactRun,
  ironflow_redact_step: redactStep,
  ironflow_secret_set: setSecret,
  ironflow_kv_put: putValue,
  ironflow_cancel_run: cancelRun,
  ironflow_delete_run: deleteRun,
  ironflow_rebuild_projection: rebuildProjection,
  ironflow_outbox_dlq_requeue: requeueOutbox,
  ironflow_outbox_dlq_discard: discardOutbox,
  ironflow_circuit_breaker_reset: resetBreaker,
};

const PREVIEWERS: ReadonlyMap<string, Previewer> = new Map<string, Previewer>([
  ...Object.entries(ASKING),
  ["ironflow_terminal_run", previewCommand],
  ["ironbridge_terminal_input", previewInput],
]);

/** Whether the target of this tool is read before anybody is asked. */
export const hasPreview = (tool: string): boolean => PREVIEWERS.has(tool);

/**
 * Reads the target of a call and says what would happen. A target that is not there, or cannot be read, is an error: then
 * nobody is asked, because nobody could know what about.
 */
export async function previewCall(
  row: ToolRow,
  args: Record<string, unknown>,
  read: ReadTool,
): Promise<PreviewResult> {
  const previewer = previewerOf(row);
  try {
    return { preview: await previewer(args, read) };
  } catch (cause) {
    if (cause instanceof ReadFailed) return { error: cause.error };
    throw cause;
  }
}

function previewerOf(row: ToolRow): Previewer {
  if (isApplicationRow(row)) return applicationTool(row);
  return PREVIEWERS.get(row.name) ?? unknownTarget(row);
}

/** A tool whose target main cannot read: the person decides by the arguments, and is told so. */
function unknownTarget(row: ToolRow): Previewer {
  return async () => ({
    title: row.title,
    consequence:
      row.risk === "irreversible"
        ? "This cannot be undone. What it reaches could not be read beforehand."
        : "This changes data. What it reaches could not be read beforehand.",
    target: [],
    effects: [],
    not_reached: [],
    watched: null,
  });
}
