import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import * as z from "zod/v4";
import { isShallow } from "../../../loopback/json-depth.ts";
import type { ApplicationTool } from "../../engines/engine.ts";
import { isLegalName } from "./names.ts";
import { TookTooLong, withTimeLimit } from "../../../loopback/time-limit.ts";

export const DECLARATION_LIMITS = {
  schemaChars: 65_536,
  schemaLevels: 64,
  descriptionChars: 4_096,
  compileMs: 1_000,
  checkMs: 1_000,
} as const;

type JsonObject = Readonly<Record<string, unknown>>;

/** A declared tool that can be served. */
export type Declaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: "object" };
  readonly timeoutMs: number | undefined;
  /** The problems of arguments, none when they fit. */
  readonly check: (args: unknown) => readonly ArgumentProblem[];
};

export type ArgumentProblem = Pick<ErrorObject, "instancePath" | "keyword" | "params" | "message">;

/** Why a declared tool is not served. */
export class DeclarationError extends Error {
  override readonly name = "DeclarationError";
}

const schemaRoot = z.record(z.string(), z.unknown());

const OPTIONS = { strict: false, allErrors: true, validateSchema: true, addUsedSchema: false } as const;

/** The dialects that a schema may name. Each compiles in an instance of its own, so that no `$id` outlives its tool. */
const DIALECTS: readonly [pattern: RegExp, make: () => Ajv][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, () => new Ajv2020(OPTIONS)],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, () => new Ajv2019(OPTIONS)],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, () => new Ajv(OPTIONS)],
];
const DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Checks what an application declared (rules of contract/mcp-client-rules.md, section 12): the name is legal, the schema is
 * one, its root is an object, and it refers to nothing outside itself.
 * @throws DeclarationError with the reason
 */
export function readDeclaration(tool: ApplicationTool): Declaration {
  if (!isLegalName(tool.name))
    throw new DeclarationError("the name may have letters, digits, _ and -, in parts between dots");
  const schema = readSchema(tool.inputSchemaJson);
  const validate = compile(schema);
  return {
    name: tool.name,
    description: tool.description.slice(0, DECLARATION_LIMITS.descriptionChars),
    inputSchema: { ...schema, type: "object" },
    timeoutMs: tool.timeoutMs,
    check: (args) => check(validate, args),
  };
}

function readSchema(text: string): JsonObject {
  if (text.trim() === "") return {};
  if (text.length > DECLARATION_LIMITS.schemaChars)
    throw new DeclarationError(
      `the input schema is longer than ${DECLARATION_LIMITS.schemaChars} characters`,
    );
  if (!isShallow(text, DECLARATION_LIMITS.schemaLevels))
    throw new DeclarationError(
      `the input schema is nested deeper than ${DECLARATION_LIMITS.schemaLevels} levels`,
    );
  const root = schemaRoot.safeParse(parsed(text));
  if (!root.success) throw new DeclarationError("the input schema is not a JSON object");
  const { type } = root.data;
  if (type !== undefined && type !== "object")
    throw new DeclarationError(`the input schema's root has type ${JSON.stringify(type)}, not "object"`);
  const outside = outsideReference(root.data);
  if (outside !== undefined)
    throw new DeclarationError(`the input schema refers to ${outside.slice(0, 200)}, outside of itself`);
  return root.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DeclarationError("the input schema is not JSON");
  }
}

const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
/** Below these stands data, not schema. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/** The first reference that leaves the document, or undefined. Nothing is ever fetched for a schema. */
function outsideReference(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, entry] of Object.entries(value)) {
    if (DATA.has(key)) continue;
    if (REFERENCES.has(key) && typeof entry === "string" && !entry.startsWith("#")) return entry;
    const found = outsideReference(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}

function compile(schema: JsonObject): ValidateFunction {
  const dialect = schema["$schema"] ?? DEFAULT_DIALECT;
  const make = DIALECTS.find(([pattern]) => typeof dialect === "string" && pattern.test(dialect))?.[1];
  if (make === undefined)
    throw new DeclarationError(
      `the input schema names the dialect ${JSON.stringify(dialect)}, which is not known here`,
    );
  try {
    return withTimeLimit(DECLARATION_LIMITS.compileMs, () => {
      const ajv = make();
      formats.default(ajv);
      return ajv.compile({ type: "object", ...schema });
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DeclarationError(`the input schema is not valid: ${why.slice(0, 300)}`, { cause: error });
  }
}

const TOO_SLOW: ArgumentProblem = {
  instancePath: "",
  keyword: "time",
  params: {},
  message: `took longer than ${DECLARATION_LIMITS.checkMs} ms to check against the tool's schema`,
};

function check(validate: ValidateFunction, args: unknown): readonly ArgumentProblem[] {
  try {
    const errors = withTimeLimit(DECLARATION_LIMITS.checkMs, () =>
      validate(args) ? [] : [...(validate.errors ?? [])],
    );
    return [...errors];
  } catch (error) {
    if (error instanceof TookTooLong) return [TOO_SLOW];
    throw error;
  }
}
