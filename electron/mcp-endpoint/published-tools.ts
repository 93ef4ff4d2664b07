import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";

const made = new WeakMap<ToolRow, Tool>();

/** A row as tools/list shows it to agents. Made once per row: turning schemas into JSON Schema is slow. */
export function publishedTool(row: ToolRow): Tool {
  const known = made.get(row);
  if (known !== undefined) return known;
  const tool: Tool = {
    name: row.name,
    title: row.title,
    description: row.description,
    inputSchema: inputSchema(row),
    ...(row.output === null ? {} : { outputSchema: objectSchema(row.output) }),
    annotations: { title: row.title, ...row.hints },
  };
  made.set(row, tool);
  return tool;
}

/** Whether only a person may confirm this row, so that `confirm` is not an argument for agents here. */
export const onlyAPersonConfirms = (row: ToolRow): boolean => row.risk === "irreversible";

function inputSchema(row: ToolRow): Tool["inputSchema"] {
  const schema = objectSchema(row.input);
  if (onlyAPersonConfirms(row)) {
    delete schema.properties?.["confirm"];
    if (schema.required !== undefined) schema.required = schema.required.filter((name) => name !== "confirm");
  }
  return schema;
}

/**
 * JSON Schema of a row's side, without `$schema`: old clients' validators refuse a dialect they do not know. Outputs are
 * read as input too, so that they stay open for fields of newer engines.
 */
function objectSchema(schema: z.ZodType): Tool["inputSchema"] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return { ...rest, type: "object" } as Tool["inputSchema"]; // rows take and answer objects
}
