import type { IParser } from "@xterm/xterm";

/**
 * What the output of a program may not do to its tab: rename it (0, 1, 2), open links (8), notify (9, 777), set the
 * clipboard (52), set the folder (7) or run a terminal's own commands (1337). They are swallowed, so they are not printed
 * either.
 */
export const INERT_OSC = [0, 1, 2, 7, 8, 9, 52, 777, 1337] as const;

export function makeInert(parser: IParser): void {
  for (const code of INERT_OSC) parser.registerOscHandler(code, () => true);
}
