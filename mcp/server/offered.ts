import * as z from "zod/v4";
import type { Tool } from "@modelcontextprotocol/server";
import type { ToolRow } from "../contract/tool-row.ts";
import { TOOLS } from "../contract/tools.ts";
import type { ServerOptions } from "./flags.ts";

/** What decides which rows there are. */
export type Modes = Pick<ServerOptions, "allowWrites" | "app"> & {
  readonly terminal: object | undefined;
  readonly evidence: object | undefined;
};

/** Whether a server started like this offers the row. */
export function isOffered(row: ToolRow, modes: Modes): boolean {
  if (row.for === "app" && !modes.app) return false;
  switch (row.mode) {
    case "read":
      return true;
    case "write":
      return modes.allowWrites;
    case "evidence":
      return modes.allowWrites && modes.evidence !== undefined;
    case "terminal":
      return modes.allowWrites && modes.terminal !== undefined;
    default:
      return assertNever(row.mode);
  }
}

function assertNever(value: never): never {
  throw new TypeError(`there is no case for ${String(value)}`);
}

export const offeredRows = (modes: Modes): readonly ToolRow[] =>
  TOOLS.filter((row: ToolRow) => isOffered(row, modes));

/** The row as `tools/list` shows it. */
export function toListedTool(row: ToolRow): Tool {
  return {
    name: row.name,
    title: row.title,
    description: row.description,
    inputSchema: jsonSchema(row.input),
    ...(row.output === null ? {} : { outputSchema: jsonSchema(row.output) }),
    annotations: { title: row.title, ...row.hints },
  };
}

/**
 * JSON Schema of a row's side. No `$schema`: what is left is the same in draft-07 and 2020-12, and old clients' validators
 * refuse a dialect they do not know. Read as input on both sides, so that outputs stay open for fields of newer engines.
 */
function jsonSchema(schema: z.ZodType): Tool["inputSchema"] {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: node }) => {
      // zod's own bounds of every whole number tell a reader nothing.
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
    },
  });
  return { ...(rest as object), type: "object" };
}
