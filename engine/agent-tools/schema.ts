import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isShallow } from "../../loopback/json-depth.ts";
import { TookTooLong, withTimeLimit } from "../../loopback/time-limit.ts";
import { AGENT_TOOL_LIMITS } from "../contract/agent-tools.ts";
import { messageOf } from "../errors.ts";

/** Compiling a schema, and checking one input against it, may take this long, ms. */
const compileMs = 1_000;
const checkMs = 1_000;
/** Problems that one answer tells. */
const problemsTold = 5;

const options = { strict: false, allErrors: true, addUsedSchema: false } as const;

const dialects: readonly [pattern: RegExp, make: () => Ajv][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, () => new Ajv2020(options)],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, () => new Ajv2019(options)],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, () => new Ajv(options)],
];
const defaultDialect = "https://json-schema.org/draft/2020-12/schema";

/** The problems of an input in words; undefined when it fits. */
export type CheckInput = (input: unknown) => string | undefined;

/**
 * Reads a tool's input schema: draft 2020-12 unless it names another, an object at its root, nothing outside of itself. No
 * schema takes any object.
 * @throws Error with the reason
 */
export function compileSchema(text: string): CheckInput {
  const schema = readSchema(text);
  const dialect = schema["$schema"] ?? defaultDialect;
  const make = dialects.find(([pattern]) => typeof dialect === "string" && pattern.test(dialect))?.[1];
  if (make === undefined) throw new Error("names a dialect that is not known here");
  let validate: ValidateFunction;
  try {
    validate = withTimeLimit(compileMs, () => {
      const ajv = make();
      formats.default(ajv);
      return ajv.compile({ type: "object", ...schema });
    });
  } catch (cause) {
    throw new Error(`is no valid schema: ${messageOf(cause).slice(0, 300)}`, { cause });
  }
  return (input) => check(validate, input);
}

function readSchema(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  if (!isShallow(text, AGENT_TOOL_LIMITS.schemaLevels)) {
    throw new Error(`is nested deeper than ${AGENT_TOOL_LIMITS.schemaLevels}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error("is not JSON", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("must be a JSON object");
  }
  const schema = value as Record<string, unknown>;
  if (schema["type"] !== undefined && schema["type"] !== "object") {
    throw new Error('must have "object" as the type of its root');
  }
  const outside = outsideReference(schema);
  if (outside !== undefined) throw new Error(`refers to ${outside.slice(0, 200)}, outside of itself`);
  return schema;
}

const references = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
/** Below these stands data, not schema. */
const data = new Set(["const", "enum", "default", "examples"]);

/** The first reference that leaves the schema. Nothing is ever fetched for one. */
function outsideReference(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (data.has(key)) continue;
    if (references.has(key) && typeof member === "string" && !member.startsWith("#")) return member;
    const found = outsideReference(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

function check(validate: ValidateFunction, input: unknown): string | undefined {
  try {
    return withTimeLimit(checkMs, () => {
      if (validate(input)) return undefined;
      const problems = (validate.errors ?? []).map(
        ({ instancePath, message }) =>
          `input${instancePath.replaceAll("/", ".")}: ${message ?? "does not fit"}`,
      );
      const more = problems.length - problemsTold;
      return problems.slice(0, problemsTold).join("; ") + (more > 0 ? `; and ${more} more` : "");
    });
  } catch (error) {
    if (error instanceof TookTooLong) return `input: took longer than ${checkMs} ms to check`;
    throw error;
  }
}
