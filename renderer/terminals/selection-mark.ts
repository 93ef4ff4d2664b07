import type { Terminal } from "@xterm/xterm";

export interface SelectionMark {
  /** Whether what was selected then is what is selected now. */
  readonly isSelected: () => boolean;
  readonly forget: () => void;
}

/**
 * Remembers what is selected by its place, which moves with its lines when the oldest go. Not by its text: a program may
 * print other text there, and the same elsewhere.
 */
export function markSelection(terminal: Terminal): SelectionMark | undefined {
  const then = terminal.getSelectionPosition();
  if (then === undefined) return undefined;
  const { baseY, cursorY } = terminal.buffer.active;
  const first = terminal.registerMarker(then.start.y - baseY - cursorY);
  return {
    isSelected() {
      const now = terminal.getSelectionPosition();
      return (
        now !== undefined &&
        now.start.y === first.line &&
        now.start.x === then.start.x &&
        now.end.x === then.end.x &&
        now.end.y - now.start.y === then.end.y - then.start.y
      );
    },
    forget: () => first.dispose(),
  };
}
