import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { withTimeLimit } from "./time-limit.ts";

const OPTIONS = { strict: false, allErrors: true, validateSchema: true, addUsedSchema: false } as const;

/** The dialects that a schema may name. Each compiles in an instance of its own, so that no `$id` outlives its tool. */
const DIALECTS: readonly [pattern: RegExp, make: () => Ajv][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, () => new Ajv2020(OPTIONS)],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, () => new Ajv2019(OPTIONS)],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, () => new Ajv(OPTIONS)],
];

/** What a schema is written in that does not say so. */
export const DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Makes the compiler of a dialect; undefined where it is not known here. */
export function compilerOf(dialect: unknown): (() => Ajv) | undefined {
  return DIALECTS.find(([pattern]) => typeof dialect === "string" && pattern.test(dialect))?.[1];
}

/**
 * Compiles the schema of an object.
 * @throws TookTooLong after `limitMs`; Error when the schema is not valid
 */
export function compileObjectSchema(
  compiler: () => Ajv,
  schema: Readonly<Record<string, unknown>>,
  limitMs: number,
): ValidateFunction {
  return withTimeLimit(limitMs, () => {
    const ajv = compiler();
    formats.default(ajv);
    return ajv.compile({ type: "object", ...schema });
  });
}

/** What does not fit. @throws TookTooLong after `limitMs` */
export const misfits = (
  validate: ValidateFunction,
  value: unknown,
  limitMs: number,
): readonly ErrorObject[] =>
  withTimeLimit(limitMs, () => (validate(value) ? [] : [...(validate.errors ?? [])]));

const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
/** Below these stands data, not schema. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/** The first reference that leaves the schema, or undefined. Nothing is ever fetched for one. */
export function outsideReference(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (DATA.has(key)) continue;
    if (REFERENCES.has(key) && typeof member === "string" && !member.startsWith("#")) return member;
    const found = outsideReference(member);
    if (found !== undefined) return found;
  }
  return undefined;
}
