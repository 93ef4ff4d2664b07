import { listedTool, type ListedTool } from "../../mcp/contract/listed-tool.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { isApplicationRow } from "./application-rows.ts";

const made = new WeakMap<ToolRow, ListedTool>();

/** A row as tools/list shows it to agents. Made once per row: turning schemas into JSON Schema is slow. */
export function publishedTool(row: ToolRow): ListedTool {
  if (isApplicationRow(row)) return row.application.listed;
  const known = made.get(row);
  if (known !== undefined) return known;
  const tool = listedTool(row);
  if (onlyAPersonConfirms(row)) {
    const { inputSchema } = tool;
    delete inputSchema.properties?.["confirm"];
    if (inputSchema.required !== undefined)
      inputSchema.required = inputSchema.required.filter((name) => name !== "confirm");
  }
  made.set(row, tool);
  return tool;
}

/** Whether only a person may confirm this row, so that `confirm` is not an argument for agents here. */
export const onlyAPersonConfirms = (row: ToolRow): boolean => row.risk === "irreversible";
