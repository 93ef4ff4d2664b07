import { createHmac } from "node:crypto";

/** Nothing a tool takes is nested deeper; more is an attempt to exhaust the stack. */
export const MAX_DEPTH = 64;

/** A value that has no canonical form: not JSON, or nested too deep. */
export class CanonicalError extends Error {
  override readonly name = "CanonicalError";
}

/**
 * The one text of a JSON value (after RFC 8785): names sorted by their UTF-16 code units, no spaces, numbers and strings
 * as JSON.stringify writes them. Two values have the same text exactly when they are the same JSON value.
 * @throws CanonicalError
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new CanonicalError(`nested deeper than ${MAX_DEPTH} levels`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new CanonicalError("a number that JSON does not have");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(",")}]`;
  if (typeof value === "object") return canonicalObject(value, depth);
  throw new CanonicalError(`${typeof value} is not a JSON value`);
}

function canonicalObject(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new CanonicalError("not a plain object");
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1)) // no object has a name twice
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`);
  return `{${members.join(",")}}`;
}

/**
 * Keyed digest of a JSON value, in hex. The key keeps the audit from telling what was asked to somebody who guesses.
 * @param key at least 32 random bytes
 */
export function keyedDigest(key: Uint8Array, value: unknown): string {
  return createHmac("sha256", key).update(canonicalJson(value)).digest("hex");
}
