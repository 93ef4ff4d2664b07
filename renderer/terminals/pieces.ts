/**
 * How much xterm is given at a time, in chars. It looks at the clock between two writes only: one large write of short
 * lines holds the window for hundreds of milliseconds, and a key with it.
 */
export const PIECE_CHARS = 4_096;

/** The text in pieces of at most `PIECE_CHARS`; together they are the text, and there is always one. */
export function pieces(chars: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < chars.length; at += PIECE_CHARS) parts.push(chars.slice(at, at + PIECE_CHARS));
  return parts.length === 0 ? [""] : parts;
}
