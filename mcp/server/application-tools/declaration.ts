import {
  argumentCheck,
  readSchema,
  SchemaError,
  type ArgumentCheck,
  type JsonObject,
} from "../../json-schema/schema.ts";
import type { ApplicationTool } from "../../engines/engine.ts";
import { isLegalName } from "./names.ts";

const MAX_DESCRIPTION_CHARS = 4_096;

/** A declared tool that can be served. */
export type Declaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: "object" };
  readonly timeoutMs: number | undefined;
  readonly check: ArgumentCheck;
};

/** Why a declared tool is not served, where it is not for its schema. */
export class DeclarationError extends SchemaError {
  override readonly name = "DeclarationError";
}

/**
 * Checks what an application declared (rules of contract/mcp-client-rules.md, section 12): the name is legal, the schema is
 * one, its root is an object, and it refers to nothing outside itself.
 * @throws SchemaError with the reason
 */
export function readDeclaration(tool: ApplicationTool): Declaration {
  if (!isLegalName(tool.name))
    throw new DeclarationError("the name may have letters, digits, _ and -, in parts between dots");
  const schema = readSchema(tool.inputSchemaJson);
  return {
    name: tool.name,
    description: tool.description.slice(0, MAX_DESCRIPTION_CHARS),
    inputSchema: { ...schema, type: "object" },
    timeoutMs: tool.timeoutMs,
    check: argumentCheck(schema),
  };
}
