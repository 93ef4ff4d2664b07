import { stringify } from "lossless-json";
import { EXACT_BODY } from "./contract/window.ts";

/** What `JSON.stringify` makes of every `LosslessNumber`, and of a payload that looks like one. */
const MAY_BE_EXACT = '"isLosslessNumber":true';

/** A body as it crosses to a page, see `TextBridge`: numbers that no double holds stand in it with all their digits. */
export function bodyText(body: unknown): string {
  const text = JSON.stringify(body);
  return text.includes(MAY_BE_EXACT) ? `${EXACT_BODY}${stringify(body)}` : text;
}
