import * as z from "zod/v4";
import { READ_HINTS, toolRow, type ToolRow } from "../../mcp/contract/tool-row.ts";

const hints = { ...READ_HINTS, readOnlyHint: false };
const input = z.strictObject({ run_id: z.string(), confirm: z.boolean().optional() });

/** Rows under the names that previews know, so that tests need not wait for the real table. */
export const READ_ROW: ToolRow = toolRow({
  name: "ironflow_get_run",
  title: "Get a run",
  description: "d",
  input: z.strictObject({ run_id: z.string() }),
  output: null,
  hints: READ_HINTS,
  risk: "read",
  permission: "mcp.call",
  mode: "read",
  for: "both",
});
export const WRITE_ROW: ToolRow = toolRow({
  name: "ironflow_resume_run",
  title: "Resume a run",
  description: "d",
  input: z.strictObject({ run_id: z.string() }),
  output: null,
  hints,
  risk: "write",
  permission: "mcp.write",
  mode: "write",
  for: "both",
});
export const DELETE_ROW: ToolRow = toolRow({
  name: "ironflow_delete_run",
  title: "Delete a run",
  description: "d",
  input,
  output: null,
  hints: { ...hints, destructiveHint: true },
  risk: "irreversible",
  permission: "mcp.write",
  mode: "write",
  for: "both",
});
export const CANCEL_ROW: ToolRow = toolRow({
  ...DELETE_ROW,
  name: "ironflow_cancel_run",
  title: "Cancel a run",
  input: z.strictObject({ run_id: z.string() }),
  risk: "destructive",
});
/** A row that no preview knows. */
export const UNKNOWN_ROW: ToolRow = toolRow({
  ...DELETE_ROW,
  name: "ironflow_delete_everything",
  title: "Delete everything",
  input: z.looseObject({}),
});

/** An application's tool as the tool server lists it: `line` is one of L1, L2 and L3. */
export function listedApplicationTool(declared: string, description = "Refunds an order.") {
  return {
    name: declared.replaceAll(".", "_"),
    title: declared,
    description: `[Application tool ${declared}] ${description}`,
    inputSchema: {
      type: "object",
      properties: { line: { enum: ["L1", "L2", "L3"] } },
      required: ["line"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true },
  };
}
