import * as z from "zod/v4";
import type { ToolRow } from "./tool-row.ts";

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** JSON Schema of an object, as `tools/list` carries it. */
export type ObjectSchema = {
  type: "object";
  properties?: Record<string, Json>;
  required?: string[];
  [keyword: string]: unknown;
};

/** A row as `tools/list` shows it, here and in the tool server that runs alone. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations: ToolRow["hints"] & { readonly title: string };
}

export function listedTool(row: ToolRow): ListedTool {
  return {
    name: row.name,
    title: row.title,
    description: row.description,
    inputSchema: objectSchema(row.input),
    ...(row.output === null ? {} : { outputSchema: objectSchema(row.output) }),
    annotations: { title: row.title, ...row.hints },
  };
}

/**
 * JSON Schema of a row's side. No `$schema`: what is left is the same in draft-07 and 2020-12, and old clients' validators
 * refuse a dialect they do not know. Read as input on both sides, so that outputs stay open for fields of newer engines.
 */
function objectSchema(schema: z.ZodType): ObjectSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: node }) => {
      // zod's own bounds of every whole number tell a reader nothing.
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
    },
  });
  return { ...(rest as object), type: "object" }; // JSON by its making; rows take and answer objects
}
