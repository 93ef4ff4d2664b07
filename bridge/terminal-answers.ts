import type { TerminalSize } from "./contract/api.ts";
import { headlessTerminal, parsed, type ParseLimits } from "./headless-terminal.ts";
import type { Modes } from "./terminal-modes.ts";

export interface Asked {
  /** What was printed before; it begins outside of escape sequences, in a terminal with these modes and of this size. */
  before: Uint8Array;
  modes: Modes;
  size: TerminalSize;
  /** What asks. */
  asks: Uint8Array;
}

/** What a tab would answer to what `asks` holds; "" when it asks nothing that a terminal answers, or a limit was reached. */
export async function terminalAnswers(
  { before, modes, size, asks }: Asked,
  limits: ParseLimits,
): Promise<string> {
  const terminal = await headlessTerminal(size, 0, modes);
  try {
    if (!(await parsed(terminal, before, limits))) return "";
    let answers = "";
    terminal.onData((text) => {
      answers += text;
    });
    return (await parsed(terminal, asks, limits)) ? answers : "";
  } finally {
    terminal.dispose();
  }
}
