import { TERMINAL_LIMITS } from "../../bridge/contract/api.ts";

const MOST_BYTES = TERMINAL_LIMITS.waitingInputBytes;
/** A character has this many bytes at most, for each of its UTF-16 code units. */
const MOST_BYTES_OF_A_UNIT = 3;

/** Why the bridge would refuse it whatever the program does, or null. */
export function tooLongNote(text: string): string | null {
  if (text.length * MOST_BYTES_OF_A_UNIT <= MOST_BYTES) return null;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MOST_BYTES) return null;
  return `Nothing of the paste was typed: it has ${shown(bytes)} bytes, and a terminal takes ${shown(MOST_BYTES)} at once.`;
}

/** What the bridge's refusal of so many characters means to whoever typed or pasted them. */
export function refusedNote(chars: number): string {
  const what = chars === 1 ? "The key was not typed" : `Nothing of the ${shown(chars)} characters was typed`;
  return `${what}: the program does not read, and too much waits for it already.`;
}

const shown = (count: number): string => count.toLocaleString("en");
