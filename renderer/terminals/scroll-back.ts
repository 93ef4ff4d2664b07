import type { Terminal } from "@xterm/xterm";

/** Where a tab was scrolled back to when it was hidden. */
export interface ScrolledBack {
  /** The first line in view, counted from the oldest that the tab kept. */
  readonly line: number;
  /** So many lines it was above where the end of the output is in view. */
  readonly fromEnd: number;
  /** When so many bytes were printed. */
  readonly outputBytes: number;
  /** The tab kept as many lines as it may: with new ones the oldest go, and `line` is another. */
  readonly full: boolean;
}

export interface ScrollingBack {
  /** A piece of what was printed before is in the terminal. */
  replayed: () => void;
  /** The terminal begins later in the output than it did: its oldest line is another. */
  cut: () => void;
  /** From here on the person scrolls. */
  giveUp: () => void;
  /** The terminal is not yet where it was, and what it shows now is nobody's choice. */
  readonly isUnderway: boolean;
}

/**
 * Scrolls a terminal that is drawn again from the log to where it was left. Where that cannot be told any more it stays at the
 * end of the output.
 * @param outputBytes how many were printed by now
 */
export function scrollBack(
  terminal: Terminal,
  left: ScrolledBack | undefined,
  outputBytes: () => number,
): ScrollingBack {
  let to = left;
  let isCut = false;
  /** The end is the same as long as nothing is printed; only a whole log has the same beginning. */
  const byEnd = (at: ScrolledBack) => at.full || isCut;
  const current = () => {
    if (to !== undefined && byEnd(to) && to.outputBytes !== outputBytes()) to = undefined;
    return to;
  };

  return {
    replayed() {
      const at = current();
      if (at === undefined) return;
      const { baseY } = terminal.buffer.active;
      if (byEnd(at)) terminal.scrollToLine(baseY - at.fromEnd);
      else if (baseY < (terminal.options.scrollback ?? 0)) terminal.scrollToLine(at.line);
      // From here on the oldest lines go, and it stays with what is in view by itself.
      else to = undefined;
    },
    cut() {
      isCut = true;
    },
    giveUp() {
      to = undefined;
    },
    get isUnderway() {
      const at = current();
      if (at === undefined) return false;
      const { baseY, viewportY } = terminal.buffer.active;
      // More of the log may still come, which moves the end.
      return byEnd(at) || baseY <= at.line || viewportY !== at.line;
    },
  };
}
