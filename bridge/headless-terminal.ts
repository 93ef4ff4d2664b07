import type * as Graphemes from "@xterm/addon-unicode-graphemes";
import { Terminal } from "@xterm/headless";
import { systemClock } from "../loopback/clock.ts";
import type { TerminalSize } from "./contract/api.ts";
import { boundCounts } from "./contract/bounded-counts.ts";
import { C1_LEAD, ESCAPE, LAST_C1 } from "./control-bytes.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { sequencesOf, type Modes } from "./terminal-modes.ts";

/** So long one terminal parses until another has its turn, in ms. */
const TURN_MS = 50;
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

export interface ParseLimits {
  /** How long it may parse, in ms; what others do meanwhile does not count. */
  budgetMs?: number;
  /** Nobody wants it any more. */
  signal?: AbortSignal;
}

/**
 * Writes to a terminal; others have their turns meanwhile, however long that takes.
 * @returns true when all of it is parsed, false when a limit ended it before
 */
export async function parsed(
  terminal: Terminal,
  text: Uint8Array | string,
  { budgetMs = Infinity, signal }: ParseLimits = {},
): Promise<boolean> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  let leftMs = budgetMs;
  for (let from = 0; from < bytes.length;) {
    if (leftMs <= 0 || signal?.aborted === true) return false;
    const turn = await turns.run(() => parsedInTurn(terminal, bytes, from, Math.min(TURN_MS, leftMs)));
    from = turn.to;
    leftMs -= turn.tookMs;
  }
  return true;
}

/** Writes from `from` on, for `limitMs` and the piece that is begun then. */
function parsedInTurn(
  terminal: Terminal,
  bytes: Uint8Array,
  from: number,
  limitMs: number,
): Promise<{ to: number; tookMs: number }> {
  const { least, most, onAllCells } = PIECE_BYTES;
  const pieceBytes = Math.max(
    least,
    Math.min(most, Math.floor(onAllCells / (terminal.cols * terminal.rows))),
  );
  const beganMs = systemClock.nowMs();
  return new Promise((done) => {
    // xterm takes what is written while it tells that a piece is parsed in the same go.
    const write = (at: number) => {
      const to = nextCut(bytes, at + pieceBytes);
      terminal.write(bytes.subarray(at, to), () => {
        const tookMs = systemClock.nowMs() - beganMs;
        if (to < bytes.length && tookMs < limitMs) write(to);
        else done({ to, tookMs });
      });
    };
    write(from);
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
