import type * as Graphemes from "@xterm/addon-unicode-graphemes";
import { Terminal } from "@xterm/headless";
import type { TerminalSize } from "./contract/api.ts";
import { boundCounts } from "./contract/bounded-counts.ts";
import { sequencesOf, type Modes } from "./terminal-modes.ts";

let graphemes: Promise<typeof Graphemes> | undefined;

/**
 * addon-unicode-graphemes 0.4.0 reads its table from the start of the memory that a Buffer lies in, and a small Buffer lies
 * somewhere in a shared pool: "Data error". So it is loaded while there is no pool.
 */
async function loadGraphemes() {
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    return await import("@xterm/addon-unicode-graphemes");
  } finally {
    Buffer.poolSize = poolSize;
  }
}

/** A terminal that nobody looks at, with these modes, as the tabs have it. Whoever asks for it disposes of it. */
export async function headlessTerminal(
  { cols, rows }: TerminalSize,
  scrollback: number,
  modes: Modes,
): Promise<Terminal> {
  graphemes ??= loadGraphemes();
  const { UnicodeGraphemesAddon } = await graphemes;
  const terminal = new Terminal({ cols, rows, scrollback, allowProposedApi: true });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  boundCounts(terminal);
  const sequences = sequencesOf(modes);
  if (sequences !== "") await parsed(terminal, sequences);
  return terminal;
}

/** Writes to a terminal. Resolves when it is parsed. */
export function parsed(terminal: Terminal, bytes: Uint8Array | string): Promise<void> {
  return new Promise((done) => {
    terminal.write(bytes, done);
  });
}
