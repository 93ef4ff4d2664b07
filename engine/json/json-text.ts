import {
  isLosslessNumber,
  isSafeNumber,
  LosslessNumber,
  parse as parseLossless,
  stringify as stringifyLossless,
} from "lossless-json";

/**
 * JSON that is already text. Payloads live in the store as text and go out as the same text: nothing is parsed and
 * written again on the way, so no digit changes.
 */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** The parsed value; numbers beyond 2^53 are rounded, as in every JavaScript reader. */
  value(): unknown {
    return JSON.parse(this.text);
  }
  isObject(): boolean {
    return this.text.startsWith("{");
  }
}

/** Deeper JSON is refused: stringifying it would overflow the stack. */
export const MAX_JSON_DEPTH = 64;

/** Only numbers like these can lose digits in `JSON.parse`. */
const riskyNumber = /\d{16}|\d\.?\d*[eE]|\d\.\d{15}/;

/**
 * Reads JSON so that no digit is lost: a number that a double cannot hold comes back as a LosslessNumber, which
 * `toJsonText` writes as it came. Throws SyntaxError like `JSON.parse`.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!riskyNumber.test(text)) return value;
  return parseLossless(text, undefined, {
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits)),
    // JSON.parse keeps the last one of a doubled key; so does this.
    onDuplicateKey: ({ newValue }) => newValue,
  });
}

/** A value of `readJson` (or any plain JSON value) as text. `undefined` becomes `null`. */
export function toJsonText(value: unknown): JsonText {
  if (value instanceof JsonText) return value;
  return new JsonText(
    hasExactNumber(value) ? (stringifyLossless(value) ?? "null") : (JSON.stringify(value) ?? "null"),
  );
}

function hasExactNumber(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isLosslessNumber(value)) return true;
  return Object.values(value).some(hasExactNumber);
}

/** `JSON.stringify` for answers: a JsonText anywhere inside is written verbatim, `undefined` members are left out. */
export function encodeJson(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(encodeJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members: string[] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member !== undefined) members.push(`${JSON.stringify(key)}:${encodeJson(member)}`);
    }
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
