import { LosslessNumber, stringify } from "lossless-json";

/**
 * JSON to the engine and to agents without losing digits: what `parseExactJson` keeps as a `LosslessNumber` is written with
 * its own digits again.
 */

/** Compact JSON with the exact digits. */
export function toText(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError("there is no JSON for this value");
  return text;
}

/**
 * The same value for `structuredContent`, which every MCP client reads with JSON.parse. A number that would become
 * another one there (an integer above 2^53, one too large for a double) turns into text with its exact digits: a changed
 * type is seen, a changed id is not. A fraction only loses the digits beyond a double's and stays a number.
 */
export function toStructured(value: object): Record<string, unknown> {
  return structured(value) as Record<string, unknown>;
}

function structured(value: unknown): unknown {
  if (value instanceof LosslessNumber) return structuredNumber(value.toString());
  if (Array.isArray(value)) return value.map(structured);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    // Not an assignment: a payload may have a key named __proto__.
    Object.defineProperty(copy, key, {
      value: structured(entry),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

function structuredNumber(digits: string): number | string {
  const nearest = Number(digits);
  const isFraction = Number.isFinite(nearest) && !Number.isInteger(nearest);
  return isFraction ? nearest : digits;
}
