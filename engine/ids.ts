import { randomBytes } from "node:crypto";
import type { Clock } from "./clock.ts";

export type IdPrefix =
  | "evt"
  | "run"
  | "dlq"
  | "key"
  | "sub"
  | "aud"
  | "proj"
  | "env"
  | "snap"
  | "rbj"
  | "tbl"
  | "obx"
  | "call"
  | "wh"
  | "whd"
  | "cg";

/** Makes ids that sort by creation, so that index pages fill in order. */
export interface Ids {
  next(prefix: IdPrefix): string;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeChars = 10;
const randomSize = 10;

function encodeTime(ms: number): string {
  let rest = ms;
  let text = "";
  for (let i = 0; i < timeChars; i += 1) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encodeBytes(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((held >> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return text;
}

/** Adds one to a big-endian number; false when it overflowed. */
function increment(bytes: Uint8Array): boolean {
  for (let i = bytes.length - 1; i >= 0; i -= 1) {
    const next = (bytes[i] ?? 0) + 1;
    bytes[i] = next & 0xff;
    if (next <= 0xff) return true;
  }
  return false;
}

/**
 * 48 bits of time and 80 random bits, lower-case base 32. Ids of one millisecond count upwards from a random start, and
 * a clock that goes back keeps the last time, so the order of creation is the order of the text within one process.
 */
export function createIds(
  clock: Pick<Clock, "nowMs">,
  random: (size: number) => Uint8Array = randomBytes,
): Ids {
  let lastMs = -1;
  let tail = random(randomSize);
  return {
    next: (prefix) => {
      const now = clock.nowMs();
      if (now > lastMs || !increment(tail)) {
        lastMs = Math.max(now, lastMs + 1);
        tail = Uint8Array.from(random(randomSize));
      }
      return `${prefix}_${encodeTime(lastMs)}${encodeBytes(tail)}`;
    },
  };
}
