import type { Terminal } from "@xterm/xterm";

/**
 * xterm drops what is selected when a terminal gets lower or higher; for that a line above it is enough, such as the find
 * bar's own. Here the selection stays with its lines. With other columns they are broken otherwise, and xterm would keep the
 * places of what was selected, in which there is other text: then it is dropped.
 */
export function keepSelection(terminal: Terminal, resize: () => void): void {
  const range = terminal.getSelectionPosition();
  if (range === undefined) return resize();
  const { start, end } = range;
  const { cols } = terminal;
  const { baseY, cursorY } = terminal.buffer.active;
  // The oldest lines go when there is no room for as many as before.
  const first = terminal.registerMarker(start.y - baseY - cursorY);
  resize();
  if (terminal.cols !== cols) terminal.clearSelection();
  else if (!terminal.hasSelection() && !first.isDisposed)
    terminal.select(start.x, first.line, (end.y - start.y) * cols + end.x - start.x);
  first.dispose();
}
