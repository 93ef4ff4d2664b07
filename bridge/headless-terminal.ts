import type * as Graphemes from "@xterm/addon-unicode-graphemes";
import { Terminal } from "@xterm/headless";
import type { TerminalSize } from "./contract/api.ts";
import { boundCounts } from "./contract/bounded-counts.ts";
import { C1_LEAD, ESCAPE, LAST_C1 } from "./control-bytes.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { sequencesOf, type Modes } from "./terminal-modes.ts";

/** So much is parsed until another terminal has its turn. */
const TURN_BYTES = 16_384;
/**
 * xterm looks at the clock between pieces and gives the event loop back after 12 ms. Two bytes can clear a whole screen, in
 * 50 ns for each of its cells: a piece is so small that it takes about 10 ms at worst.
 */
const PIECE_BYTES = { least: 8, most: 256, onAllCells: 512 * 1024 };
/** However many terminals are read, the event loop is held up by one of them. */
const turns = new OneAtATime();

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

/** Writes to a terminal. Resolves when it is parsed. Others have their turns meanwhile, however long that takes. */
export async function parsed(terminal: Terminal, text: Uint8Array | string): Promise<void> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const { least, most, onAllCells } = PIECE_BYTES;
  const pieceBytes = Math.max(
    least,
    Math.min(most, Math.floor(onAllCells / (terminal.cols * terminal.rows))),
  );
  for (let from = 0; from < bytes.length;) {
    const pieces: Uint8Array[] = [];
    const turnEnd = from + TURN_BYTES;
    while (from < Math.min(turnEnd, bytes.length)) {
      const to = nextCut(bytes, from + pieceBytes);
      pieces.push(bytes.subarray(from, to));
      from = to;
    }
    await turns.run(() => written(terminal, pieces));
  }
}

function written(terminal: Terminal, pieces: readonly Uint8Array[]): Promise<void> {
  return new Promise((done) => {
    const left = pieces.length - 1;
    for (const [index, piece] of pieces.entries()) terminal.write(piece, index === left ? done : undefined);
  });
}

/** Where a sequence or a line begins: characters that are shown as one are not joined over the border of two pieces. */
function nextCut(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === ESCAPE || isLineFeed(bytes[at - 1] ?? 0)) return at;
    if (byte === C1_LEAD && (bytes[at + 1] ?? 0) <= LAST_C1) return at;
  }
  return bytes.length;
}

/** Line feed, and the two tabulations that do the same. */
function isLineFeed(byte: number): boolean {
  return byte >= 0x0a && byte <= 0x0c;
}
