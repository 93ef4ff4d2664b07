import { randomUUID } from "node:crypto";
import { LosslessNumber, isSafeNumber, stringify } from "lossless-json";

/**
 * JSON to and from the engine without losing digits. A number that a JavaScript number holds exactly is one; any other
 * (an integer above 2^53, 1e400) stays a `LosslessNumber`, which `toText` writes with its own digits again.
 */

/** Only a text with 16 digits in a row (a point may be among them) or a three-digit exponent can hold one. */
const MAY_LOSE_DIGITS = /[0-9.]{16}|[eE][+-]?[0-9]{3}/;
/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** What a number, or something that JSON.parse will refuse, is made of. */
const OF_NUMBERS = /[-+0-9.eE]/;
/** Stands before the digits of such a number while JSON.parse reads the rest. Nobody outside can know it. */
const MARK = `${randomUUID()}:`;

/**
 * JSON.parse does the work, several times as fast as a parser in JavaScript: only the few numbers that it would change go
 * through it as marked text.
 * @throws SyntaxError when the text is not JSON, RangeError when it is nested too deeply to read
 */
export function parseWireJson(text: string): unknown {
  if (!MAY_LOSE_DIGITS.test(text)) return JSON.parse(text);
  const marked = markNumbers(text);
  return marked === text ? JSON.parse(text) : unmark(JSON.parse(marked));
}

/** Looks at the places only where digits might be lost, and there whether it is in a string. */
function markNumbers(text: string): string {
  const places = new RegExp(MAY_LOSE_DIGITS, "g");
  const parts: string[] = [];
  let copied = 0;
  const outsideOfStrings = stringsOf(text);
  for (let place = places.exec(text); place !== null; place = places.exec(text)) {
    let from = place.index;
    while (from > 0 && OF_NUMBERS.test(text.charAt(from - 1))) from -= 1;
    let to = places.lastIndex;
    while (to < text.length && OF_NUMBERS.test(text.charAt(to))) to += 1;
    places.lastIndex = to;
    const digits = text.slice(from, to);
    if (!losesDigits(digits)) continue;
    const outside = outsideOfStrings(from);
    const key = /\s*:/y;
    key.lastIndex = to;
    if (outside > from) places.lastIndex = Math.max(outside, to);
    // A key cannot be a number: unmarked, JSON.parse refuses it.
    else if (!key.test(text)) {
      parts.push(text.slice(copied, from), `"${MARK}${digits}"`);
      copied = to;
    }
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

function losesDigits(digits: string): boolean {
  return NUMBER.test(digits) && String(Number(digits)) !== digits && !isSafeNumber(digits);
}

/**
 * Asked with places in rising order: the first place after the strings that begin before it, so behind it when it is inside
 * one. Each quote is looked for once, however many places there are.
 */
function stringsOf(text: string): (until: number) => number {
  let outside = 0;
  let quote = text.indexOf('"');
  return (until) => {
    while (quote >= 0 && quote < until) {
      outside = endOfString(text, quote);
      quote = text.indexOf('"', outside);
    }
    return outside;
  };
}

/** Where the string that begins at `open` is over; the end of the text where it never is, which is no JSON. */
function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Puts the numbers back, in place. */
function unmark(value: unknown): unknown {
  if (typeof value === "string")
    return value.startsWith(MARK) ? new LosslessNumber(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) value[at] = unmark(value[at]);
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  for (const [key, entry] of Object.entries(value)) {
    const whole = unmark(entry);
    // Not an assignment: a payload may have a key named __proto__.
    if (whole !== entry)
      Object.defineProperty(value, key, {
        value: whole,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return value;
}

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
