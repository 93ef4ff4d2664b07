import type { ErrorObject, ValidateFunction } from "ajv";
import * as z from "zod/v4";
import { isShallow } from "../../loopback/json-depth.ts";
import {
  compileObjectSchema,
  compilerOf,
  DEFAULT_DIALECT,
  misfits,
  outsideReference,
} from "../../loopback/json-schema.ts";
import { TookTooLong } from "../../loopback/time-limit.ts";

export const SCHEMA_LIMITS = {
  schemaChars: 65_536,
  schemaLevels: 64,
  compileMs: 1_000,
  checkMs: 1_000,
} as const;

export type JsonObject = Readonly<Record<string, unknown>>;

/** What does not fit, as the checker says it. */
export type ArgumentProblem = Pick<ErrorObject, "instancePath" | "keyword" | "params" | "message">;

/** The problems of arguments, none when they fit. Never throws. */
export type ArgumentCheck = (args: unknown) => readonly ArgumentProblem[];

/** Why a schema cannot be used. */
export class SchemaError extends Error {
  override readonly name: string = "SchemaError";
}

const schemaRoot = z.record(z.string(), z.unknown());

/**
 * A tool's input schema from its text: not too long or deep, its root an object, and it refers to nothing outside itself.
 * @throws SchemaError with the reason
 */
export function readSchema(text: string): JsonObject {
  if (text.trim() === "") return {};
  if (text.length > SCHEMA_LIMITS.schemaChars)
    throw new SchemaError(`the input schema is longer than ${SCHEMA_LIMITS.schemaChars} characters`);
  if (!isShallow(text, SCHEMA_LIMITS.schemaLevels))
    throw new SchemaError(`the input schema is nested deeper than ${SCHEMA_LIMITS.schemaLevels} levels`);
  const root = schemaRoot.safeParse(parsed(text));
  if (!root.success) throw new SchemaError("the input schema is not a JSON object");
  const { type } = root.data;
  if (type !== undefined && type !== "object")
    throw new SchemaError(`the input schema's root has type ${JSON.stringify(type)}, not "object"`);
  const outside = outsideReference(root.data);
  if (outside !== undefined)
    throw new SchemaError(`the input schema refers to ${outside.slice(0, 200)}, outside of itself`);
  return root.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SchemaError("the input schema is not JSON");
  }
}

/**
 * Makes the check of arguments against a schema from `readSchema`, in the dialect that it names, 2020-12 otherwise.
 * @throws SchemaError with the reason
 */
export function argumentCheck(schema: JsonObject): ArgumentCheck {
  const validate = compile(schema);
  return (args) => check(validate, args);
}

function compile(schema: JsonObject): ValidateFunction {
  const dialect = schema["$schema"] ?? DEFAULT_DIALECT;
  const compiler = compilerOf(dialect);
  if (compiler === undefined)
    throw new SchemaError(
      `the input schema names the dialect ${JSON.stringify(dialect)}, which is not known here`,
    );
  try {
    return compileObjectSchema(compiler, schema, SCHEMA_LIMITS.compileMs);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SchemaError(`the input schema is not valid: ${why.slice(0, 300)}`, { cause: error });
  }
}

const TOO_SLOW: ArgumentProblem = {
  instancePath: "",
  keyword: "time",
  params: {},
  message: `took longer than ${SCHEMA_LIMITS.checkMs} ms to check against the tool's schema`,
};

function check(validate: ValidateFunction, args: unknown): readonly ArgumentProblem[] {
  try {
    return misfits(validate, args, SCHEMA_LIMITS.checkMs);
  } catch (error) {
    if (error instanceof TookTooLong) return [TOO_SLOW];
    throw error;
  }
}
