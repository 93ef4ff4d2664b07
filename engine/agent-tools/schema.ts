import type { ValidateFunction } from "ajv";
import { isShallow } from "../../loopback/json-depth.ts";
import {
  compileObjectSchema,
  compilerOf,
  DEFAULT_DIALECT,
  misfits,
  outsideReference,
} from "../../loopback/json-schema.ts";
import { TookTooLong } from "../../loopback/time-limit.ts";
import { AGENT_TOOL_LIMITS } from "../contract/agent-tools.ts";
import { messageOf } from "../errors.ts";

/** Compiling a schema, and checking one input against it, may take this long, ms. */
const compileMs = 1_000;
const checkMs = 1_000;
/** Problems that one answer tells. */
const problemsTold = 5;

/** The problems of an input in words; undefined when it fits. */
export type CheckInput = (input: unknown) => string | undefined;

/**
 * Reads a tool's input schema: draft 2020-12 unless it names another, an object at its root, nothing outside of itself. No
 * schema takes any object.
 * @throws Error with the reason
 */
export function compileSchema(text: string): CheckInput {
  const schema = readSchema(text);
  const compiler = compilerOf(schema["$schema"] ?? DEFAULT_DIALECT);
  if (compiler === undefined) throw new Error("names a dialect that is not known here");
  let validate: ValidateFunction;
  try {
    validate = compileObjectSchema(compiler, schema, compileMs);
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

function check(validate: ValidateFunction, input: unknown): string | undefined {
  try {
    const problems = misfits(validate, input, checkMs).map(
      ({ instancePath, message }) =>
        `input${instancePath.replaceAll("/", ".")}: ${message ?? "does not fit"}`,
    );
    if (problems.length === 0) return undefined;
    const more = problems.length - problemsTold;
    return problems.slice(0, problemsTold).join("; ") + (more > 0 ? `; and ${more} more` : "");
  } catch (error) {
    if (error instanceof TookTooLong) return `input: took longer than ${checkMs} ms to check`;
    throw error;
  }
}
