import { createHash } from "node:crypto";
import * as z from "zod/v4";
import { APPLICATION_TOOL_PREFIX } from "../../mcp/contract/application-tools.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ListedTool } from "../../mcp/contract/listed-tool.ts";
import type { Risk, ToolRow } from "../../mcp/contract/tool-row.ts";
import { toolByName } from "../../mcp/contract/tools.ts";
import { applicationArgumentError } from "../../mcp/json-schema/argument-problems.ts";
import { argumentCheck, readSchema, SchemaError, type ArgumentCheck } from "../../mcp/json-schema/schema.ts";

/** Of one connection. More would be a flood, not tools that a model could choose from. */
export const MAX_APPLICATION_TOOLS = 256;
const MAX_NAME_CHARS = 128;
const MAX_DESCRIPTION_CHARS = 8_192;

/** What the tool server lists. Nothing in it is trusted: an application wrote it. */
const Listed = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  title: z.string().min(1).max(MAX_NAME_CHARS),
  description: z.string().max(MAX_DESCRIPTION_CHARS).startsWith(APPLICATION_TOOL_PREFIX),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  annotations: z
    .object({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .default({}),
});

/** A tool that an application registered with the engine, as a row of the table beside ours. */
export interface ApplicationRow extends ToolRow {
  readonly application: {
    /** What the application calls it. */
    readonly declaredName: string;
    readonly listed: ListedTool;
    /** The same as long as the tool is declared the same. */
    readonly fingerprint: string;
    /** What is wrong with arguments; undefined when they fit the declared schema. */
    check(args: unknown): ToolError | undefined;
  };
}

export const isApplicationRow = (row: ToolRow): row is ApplicationRow => "application" in row;

/**
 * The applications' tools in a tool server's list; what is ours, and what cannot be served, is left out. A tool that is
 * declared as before is the same row as before.
 */
export function applicationRows(
  tools: readonly unknown[],
  before: readonly ApplicationRow[] = [],
): readonly ApplicationRow[] {
  const known = new Map(before.map((row) => [row.application.fingerprint, row]));
  const rows = new Map<string, ApplicationRow>();
  for (const tool of tools) {
    const read = Listed.safeParse(tool);
    if (!read.success || toolByName(read.data.name) !== undefined || rows.has(read.data.name)) continue;
    if (rows.size === MAX_APPLICATION_TOOLS) break;
    const fingerprint = createHash("sha256").update(JSON.stringify(read.data)).digest("hex");
    rows.set(read.data.name, known.get(fingerprint) ?? applicationRow(read.data, fingerprint));
  }
  return [...rows.values()];
}

function applicationRow(tool: z.infer<typeof Listed>, fingerprint: string): ApplicationRow {
  const { name, title, description, annotations } = tool;
  // As far as the protocol's own defaults go, a tool that says nothing may do anything.
  const hints = {
    readOnlyHint: annotations.readOnlyHint ?? false,
    destructiveHint: annotations.destructiveHint ?? annotations.readOnlyHint !== true,
    idempotentHint: annotations.idempotentHint ?? false,
    openWorldHint: annotations.openWorldHint ?? true,
  };
  return {
    name,
    title,
    description,
    // The declared schema is the check; see `application`.
    input: z.looseObject({}),
    output: null,
    hints,
    risk: riskOf(hints),
    permission: "mcp.write",
    mode: "write",
    for: "agent",
    application: {
      declaredName: title,
      listed: {
        name,
        title,
        description,
        inputSchema: tool.inputSchema,
        annotations: { title, ...hints },
      },
      fingerprint,
      check: argumentsOf(name, tool.inputSchema),
    },
  };
}

/** Code of the application runs, so it is a write whatever it says of itself; its word only makes it stricter. */
const riskOf = ({ destructiveHint }: ToolRow["hints"]): Risk => (destructiveHint ? "destructive" : "write");

function argumentsOf(name: string, schema: object): (args: unknown) => ToolError | undefined {
  let check: ArgumentCheck | undefined; // made by the first call: most tools are never called
  return (args) => {
    try {
      check ??= argumentCheck(readSchema(JSON.stringify(schema)));
    } catch (cause) {
      if (cause instanceof SchemaError) return unusable(name, cause.message);
      throw cause;
    }
    const problems = check(args);
    return problems.length === 0 ? undefined : applicationArgumentError(name, problems);
  };
}

const unusable = (name: string, why: string): ToolError => ({
  error: `arguments: ${name} cannot be called: ${why}. Nothing was done.`,
  code: "failed_precondition",
  retryable: false,
  hint: "The application has to mend what it declared.",
});
