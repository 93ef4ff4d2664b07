import type { Terminal } from "@xterm/xterm";

/** Whether the line is in view in which what is selected begins. */
export function isSelectionInView(terminal: Terminal): boolean {
  const row = terminal.getSelectionPosition()?.start.y;
  const { viewportY } = terminal.buffer.active;
  return row !== undefined && row >= viewportY && row < viewportY + terminal.rows;
}

/** Scrolls no further than it has to, and then to the middle: as the search add-on does with what it found. */
export function scrollToSelection(terminal: Terminal): void {
  const row = terminal.getSelectionPosition()?.start.y;
  if (row === undefined || isSelectionInView(terminal)) return;
  terminal.scrollToLine(row - Math.floor(terminal.rows / 2));
}
