import { createHash } from "node:crypto";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { toTimestamp } from "../clock.ts";
import { matchKey } from "./match.ts";

/** What stands where a payload was (section 2.4). A placeholder stays the one it is. */
export function placeholderFor(text: string, nowMs: number): string {
  if (isPlaceholder(text)) return text;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return JSON.stringify({ $redacted: true, sha256, redactedAt: toTimestamp(nowMs) });
}

/** Whether a payload that came again is the one that was stored, which may be redacted since. */
export function isSamePayload(stored: string | null, text: string): boolean {
  if (stored === null || stored === text) return stored === text;
  if (isPlaceholder(stored)) {
    const { sha256 } = JSON.parse(stored) as { sha256: string };
    return sha256 === createHash("sha256").update(text).digest("hex");
  }
  return matchKey(parseExactJson(stored)) === matchKey(parseExactJson(text));
}

/** Whether a stored payload is such a placeholder. */
export function isPlaceholder(text: string): boolean {
  return /^\{"\$redacted":true,"sha256":"[0-9a-f]{64}","redactedAt":"[^"]{1,40}"\}$/.test(text);
}
