import { isUtf8 } from "node:buffer";

const CONTINUATION_MASK = 0b1100_0000;
const CONTINUATION = 0b1000_0000;
/** No UTF-8 character is longer, in bytes. */
export const UTF8_MAX_BYTES = 4;

/**
 * How many of `bytes` can be decoded without cutting a character in two: all of them, or all but the first 1 to 3 bytes of
 * a character whose rest is still to come. Bytes that can never become a character are not held back.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(UTF8_MAX_BYTES - 1, bytes.length); back += 1) {
    const at = bytes.length - back;
    const byte = bytes[at] ?? 0;
    if (isContinuation(byte)) continue;
    return couldContinue(byte, bytes[at + 1], back) ? at : bytes.length;
  }
  return bytes.length;
}

/** How many bytes at the start are the rest of a character that began earlier: 0 to 3. */
export function brokenStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(UTF8_MAX_BYTES - 1, bytes.length) && isContinuation(bytes[count] ?? 0)) count += 1;
  return count;
}

/** How many of the bytes from `at` on are the rest of a character that begins before `at`, and is whole: 0 to 3. */
export function restOfCharacter(bytes: Uint8Array, at: number): number {
  for (let begin = at - 1; begin >= Math.max(0, at - (UTF8_MAX_BYTES - 1)); begin -= 1) {
    if (isContinuation(bytes[begin] ?? 0)) continue;
    for (let end = at + 1; end <= begin + UTF8_MAX_BYTES; end += 1)
      if (end <= bytes.length && isUtf8(bytes.subarray(begin, end))) return end - at;
    return 0;
  }
  return 0;
}

function isContinuation(byte: number): boolean {
  return (byte & CONTINUATION_MASK) === CONTINUATION;
}

/** Is a lead byte with `have` bytes so far (itself included) the start of a valid, longer character? Unicode 15, table 3-7. */
function couldContinue(lead: number, second: number | undefined, have: number): boolean {
  const length =
    lead >= 0xc2 && lead <= 0xdf
      ? 2
      : lead >= 0xe0 && lead <= 0xef
        ? 3
        : lead >= 0xf0 && lead <= 0xf4
          ? 4
          : 1;
  if (have >= length) return false;
  if (second === undefined) return true;
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second <= 0x8f;
  return true;
}
