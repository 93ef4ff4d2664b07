import { randomUUID } from "node:crypto";
import { isSafeNumber, LosslessNumber } from "lossless-json";

/** Only a text with 16 digits in a row (a point may be among them) or an exponent can hold a number that loses some. */
const MAY_LOSE_DIGITS = /[0-9.]{16}|[0-9][eE][+-]?[0-9]/;
/** Whether a JSON text may hold a number that JSON.parse does not give back exactly. */
export const mayLoseDigits = (text: string): boolean => MAY_LOSE_DIGITS.test(text);

/** A number with fewer characters than this, and no exponent, is one that a double gives back. */
const SAFE_CHARS = 16;
const TOKEN_START = /["\d-]/g;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * JSON.parse, but a number that a JavaScript number does not hold exactly (an integer above 2^53, 1e400) is a
 * `LosslessNumber` with its own digits. A member named `__proto__` is a member, the last of two equal keys wins.
 *
 * Those few numbers are made texts that begin with a mark, JSON.parse reads the whole, and the marked texts become numbers
 * again: several times as fast as a parser of one's own, which counts where an answer has megabytes.
 * @throws SyntaxError when the text is not JSON, RangeError when it is nested too deeply to read
 */
export function parseExactJson(text: string): unknown {
  if (!mayLoseDigits(text)) return JSON.parse(text);
  // Random: nobody can put a text into a payload that would be taken for one of ours.
  const mark = `${randomUUID()}:`;
  const marked = markNumbers(text, mark);
  if (marked === undefined) return JSON.parse(text);
  return JSON.parse(marked, (key, value: unknown) => {
    if (key.startsWith(mark)) throw new SyntaxError("a number stands where a member's name has to be");
    return typeof value === "string" && value.startsWith(mark)
      ? new LosslessNumber(value.slice(mark.length))
      : value;
  });
}

/** The text with its unsafe numbers as marked texts; undefined when it has none. What is not JSON does not become JSON. */
function markNumbers(text: string, mark: string): string | undefined {
  const parts: string[] = [];
  let copied = 0;
  TOKEN_START.lastIndex = 0;
  for (let token = TOKEN_START.exec(text); token !== null; token = TOKEN_START.exec(text)) {
    const at = token.index;
    if (token[0] === '"') {
      TOKEN_START.lastIndex = endOfText(text, at);
      continue;
    }
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(text)?.[0];
    if (digits === undefined) continue; // a lone minus: JSON.parse says so
    TOKEN_START.lastIndex = at + digits.length;
    if ((digits.length < SAFE_CHARS && !/[eE]/.test(digits)) || isSafeNumber(digits)) continue;
    parts.push(text.slice(copied, at), `"${mark}${digits}"`);
    copied = at + digits.length;
  }
  return parts.length === 0 ? undefined : parts.join("") + text.slice(copied);
}

/** The index behind the closing quote of the text that opens at `at`. */
function endOfText(text: string, at: number): number {
  for (let from = at + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length; // it never ends: JSON.parse says so
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}
