import { isSafeNumber, LosslessNumber, parse } from "lossless-json";
import { EXACT_BODY } from "../../electron/contract/window.ts";

/** An answer of main as it crossed, see `TextBridge`. A number that no double holds is a `LosslessNumber`. */
export function readBody(text: string): unknown {
  if (!text.startsWith(EXACT_BODY)) return JSON.parse(text);
  const number = (digits: string) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits));
  return parse(text.slice(EXACT_BODY.length), undefined, number);
}
