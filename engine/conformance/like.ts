import { isDeepStrictEqual } from "node:util";

/** What `expectLike` compares with: a value, a shape with some of the members, a RegExp for texts, or a question. */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | undefined
  | RegExp
  | ((value: unknown) => boolean)
  | readonly Pattern[]
  | { readonly [member: string]: Pattern };

export const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
export const isNumber = (value: unknown): boolean => typeof value === "number";
export const isArray = (value: unknown): boolean => Array.isArray(value);
export const isTime = (value: unknown): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value);
/** An unset field: protojson leaves zero values out, REST may send null. */
export const isUnset = (value: unknown): boolean => value === undefined || value === null;

/** @throws Error that names the first place that differs */
export function expectLike(actual: unknown, pattern: Pattern, where = "answer"): void {
  if (typeof pattern === "function") {
    if (!pattern(actual)) throw differs(where, actual, pattern.name || "a value that fits");
  } else if (pattern instanceof RegExp) {
    if (typeof actual !== "string" || !pattern.test(actual)) throw differs(where, actual, String(pattern));
  } else if (Array.isArray(pattern)) {
    if (!Array.isArray(actual) || actual.length !== pattern.length)
      throw differs(where, actual, `${pattern.length} items`);
    for (const [index, item] of pattern.entries())
      expectLike(actual[index], item as Pattern, `${where}[${index}]`);
  } else if (typeof pattern === "object" && pattern !== null) {
    if (typeof actual !== "object" || actual === null) throw differs(where, actual, "an object");
    for (const [member, wanted] of Object.entries(pattern))
      expectLike((actual as Record<string, unknown>)[member], wanted, `${where}.${member}`);
  } else if (!isDeepStrictEqual(actual, pattern)) {
    throw differs(where, actual, JSON.stringify(pattern) ?? "nothing");
  }
}

/** @throws Error with `what` */
export function expectThat(what: string, holds: boolean): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

function differs(where: string, actual: unknown, wanted: string): Error {
  return new Error(
    `${where}: expected ${wanted}, got ${(JSON.stringify(actual) ?? "nothing").slice(0, 300)}`,
  );
}
