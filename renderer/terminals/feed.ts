import type { Terminal } from "@xterm/xterm";

/** So long is parsed in one turn of the window's event loop, in ms, as xterm does it itself; then a key and a frame have theirs. */
export const TURN_MS = 12;
/** A piece should take so long, in ms: it is not interrupted, and what a key waits for is the rest of one. */
const PIECE_MS = 2;
/**
 * Lines of one character take fifty times as long as long ones, and two characters can clear the whole screen; so the size of
 * a piece follows what pieces took, in chars.
 */
export const LEAST_PIECE_CHARS = 64;
const FIRST_PIECE_CHARS = 1_024;
export const MOST_PIECE_CHARS = 32_768;

export interface Feed {
  /** `parsed` is called once all of it is parsed; never after `close`. */
  write: (chars: string, parsed?: () => void) => void;
  /** Is called after all that was written before is parsed, and before what is written after. */
  between: (act: () => void) => void;
  /** Not all that was written is parsed. */
  readonly isBehind: boolean;
  close: () => void;
}

/** Time, and the way to get a turn of the event loop after what waits there already. */
export interface Turns {
  nowMs: () => number;
  next: (turn: () => void) => void;
  close: () => void;
}

/**
 * Hands output to xterm piece by piece, each when the one before is parsed. Given all at once, xterm goes on by timers that
 * the browser holds back for 4 ms each, which is a quarter of the time in a flood; and it looks at the clock between writes
 * only, so one large write of short lines would hold up a key for hundreds of milliseconds.
 * What waits here is bounded by the one who writes (`FLOW` in the bridge's contract).
 */
export function createFeed(terminal: Pick<Terminal, "write">, turns: Turns = windowTurns()): Feed {
  const waiting: ({ chars: string; parsed?: (() => void) | undefined } | { act: () => void })[] = [];
  /** So much of the first one is with xterm already, in chars. */
  let given = 0;
  let pieceChars = FIRST_PIECE_CHARS;
  let running = false;
  let closed = false;
  /** When the first piece of this turn was parsed; undefined before that. */
  let turnMs: number | undefined;

  function start() {
    if (running || closed) return;
    running = true;
    turns.next(turn);
  }

  function turn() {
    turnMs = undefined;
    give();
  }

  /** Gives xterm the next piece, if there is one. */
  function give() {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if ("act" in first) {
        waiting.shift();
        first.act();
        continue;
      }
      const chars = Math.min(pieceChars, first.chars.length - given);
      const piece = first.chars.slice(given, endOfLine(first.chars, given, given + chars));
      given += piece.length;
      const beganMs = turns.nowMs();
      terminal.write(piece, () => took(chars, beganMs));
      return;
    }
    running = false;
  }

  /** xterm has parsed a piece of about so many chars. What it is given now it parses at once, in the same turn. */
  function took(chars: number, beganMs: number) {
    if (closed) return;
    const [first] = waiting;
    if (first !== undefined && "chars" in first && given >= first.chars.length) {
      waiting.shift();
      given = 0;
      first.parsed?.();
    }
    const nowMs = turns.nowMs();
    // The first of a turn waited for its turn too: how long it took is not known.
    if (turnMs !== undefined) pieceChars = nextPieceChars(pieceChars, chars, nowMs - beganMs);
    turnMs ??= nowMs;
    if (nowMs - turnMs < TURN_MS) give();
    else turns.next(turn);
  }

  return {
    write(chars, parsed) {
      waiting.push({ chars, parsed });
      start();
    },
    between(act) {
      waiting.push({ act });
      start();
    },
    get isBehind() {
      return running;
    },
    close() {
      closed = true;
      waiting.length = 0;
      turns.close();
    },
  };
}

/**
 * A piece ends with a line where it can: else each frame finds the cursor, and the element that takes the input there, in
 * another place, and the page is layered anew for it.
 */
function endOfLine(chars: string, from: number, to: number): number {
  const end = to < chars.length ? chars.lastIndexOf("\n", to - 1) + 1 : to;
  return end > from ? end : to;
}

/** At most twice or half as much as before. A piece that was cut short by its message says nothing. */
export function nextPieceChars(pieceChars: number, chars: number, tookMs: number): number {
  if (chars < pieceChars) return tookMs > PIECE_MS ? half(pieceChars) : pieceChars;
  if (tookMs > PIECE_MS) return half(pieceChars);
  return tookMs < PIECE_MS / 2 ? Math.min(MOST_PIECE_CHARS, pieceChars * 2) : pieceChars;
}

const half = (pieceChars: number) => Math.max(LEAST_PIECE_CHARS, pieceChars / 2);

/** A message to ourselves: unlike a timer it is never held back. */
function windowTurns(): Turns {
  const { port1, port2 } = new MessageChannel();
  let next: (() => void) | undefined;
  port1.addEventListener("message", () => {
    const turn = next;
    next = undefined;
    turn?.();
  });
  port1.start();
  return {
    nowMs: () => performance.now(),
    next(turn) {
      next = turn;
      port2.postMessage(null);
    },
    close: () => port1.close(),
  };
}
