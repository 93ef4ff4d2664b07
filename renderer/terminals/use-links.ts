import { useEffect, useRef, useState, type RefObject } from "react";
import type { TerminalParts } from "./create-terminal.ts";
import { scrollToSelection } from "./selection-in-view.ts";
import { markSelection, type SelectionMark } from "./selection-mark.ts";
import { linkBefore } from "./web-links.ts";

/** That there is no link is shown so long. */
const NONE_MS = 3_000;

interface AskedLink {
  readonly url: string;
  /** So often the keyboard asked since the question is open; 0: the link was clicked. */
  readonly byKeys: number;
}

/** The link of the output that the person is asked about: clicked, or come to by keyboard, which marks it. */
export function useLinks(parts: RefObject<TerminalParts | null>): {
  asked: AskedLink | null;
  /** The keyboard has just asked, and there is none. */
  none: boolean;
  clicked: (url: string) => void;
  /** Asks about the newest one in view, or else above it; asked for again, about the one before. */
  askBefore: () => void;
  leave: () => void;
} {
  const [asked, setAsked] = useState<AskedLink | null>(null);
  const [none, setNone] = useState(false);
  useEffect(() => {
    const timer = none ? setTimeout(() => setNone(false), NONE_MS) : undefined;
    return () => clearTimeout(timer);
  }, [none]);
  const byKeys = asked?.byKeys ?? 0;
  /** Where the keyboard marked the link; the person may select something else meanwhile. */
  const mark = useRef<SelectionMark>(undefined);

  return {
    asked,
    none,
    clicked: (url) => setAsked({ url, byKeys: 0 }),
    askBefore() {
      if (parts.current === null) return;
      const { terminal, links } = parts.current;
      // It stays with its text when the oldest lines go.
      const marked = byKeys > 0 ? terminal.getSelectionPosition()?.start : undefined;
      const link = linkBefore(
        terminal,
        links,
        marked === undefined
          ? { row: terminal.buffer.active.viewportY + terminal.rows - 1, column: terminal.cols }
          : { row: marked.y, column: marked.x },
      );
      setNone(link === undefined);
      if (link === undefined) return;
      terminal.select(link.column, link.row, link.cells);
      mark.current?.forget();
      mark.current = markSelection(terminal);
      scrollToSelection(terminal);
      setAsked({ url: link.text, byKeys: byKeys + 1 });
    },
    leave() {
      if (mark.current?.isSelected() === true) parts.current?.terminal.clearSelection();
      mark.current?.forget();
      mark.current = undefined;
      setAsked(null);
    },
  };
}
