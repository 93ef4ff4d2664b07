import { JsonText } from "../json/json-text.ts";

/**
 * A protojson message as it comes in: members may be snake_case or camelCase, and `null` means absent. Members named in
 * `opaque` hold a caller's own JSON: their inside is left alone. Of those, the `…Value` twins keep a `null`.
 */
export function fromProtojson(value: unknown, opaque: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((member) => fromProtojson(member, opaque));
  if (!isPlainObject(value)) return value;
  const message: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const key = toCamel(name);
    if (member === null && !(opaque.has(key) && key.endsWith("Value"))) continue;
    define(message, key, opaque.has(key) ? member : fromProtojson(member, opaque));
  }
  return message;
}

/** A plain assignment to `__proto__` would change the object instead of its members. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function toCamel(name: string): string {
  return name.replace(/(?<=[a-zA-Z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A protojson message as it goes out: zero values are left out, payloads (JsonText) are kept as they are. */
export function toProtojson(message: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message)) {
    const member = value !== null && isPlainObject(value) ? toProtojson(value) : value;
    if (!isZero(member)) out[key] = Array.isArray(member) ? member.map(memberOf) : member;
  }
  return out;
}

function memberOf(value: unknown): unknown {
  return isPlainObject(value) ? toProtojson(value) : value;
}

function isZero(value: unknown): boolean {
  if (value instanceof JsonText) return false;
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}

/** An int64: its digits as a text; a zero is left out. */
export const int64Text = (value: number): string | undefined => (value === 0 ? undefined : String(value));

/** A payload and its twin: a Struct holds objects only, everything else travels as `…Value` (section 1.4). */
export function twin(name: string, text: string | null): Record<string, JsonText> {
  if (text === null) return {};
  const payload = new JsonText(text);
  return { [payload.isObject() ? name : `${name}Value`]: payload };
}
