import type { Terminal } from "@xterm/xterm";
import { partsOf, type XtermParts } from "./xterm-parts.ts";

/** In a flood so long passes at least between two drawn frames, in ms: every second frame of a usual screen. */
export const FLOOD_FRAME_MS = 25;

/** Time and frames of the window. */
export interface Frames {
  nowMs: () => number;
  /** @returns a number to cancel it by */
  next: (draw: () => void) => number;
}

export interface Drawing {
  close: () => void;
}

/**
 * Lets an opened terminal draw no more than a person sees:
 * - While output floods, every second frame is drawn. A frame takes the page, the compositor and the graphics process 10 ms
 *   together, and the program, its terminal and the bridge need the same processors.
 * - With every line xterm moves its scroll bar and starts its timer anew. Here it is moved once for each frame.
 * - With every frame that scrolled, xterm draws all rows for a selection, and then once more. Here not when nothing is
 *   selected and the end of the output is in view.
 *
 * Where xterm is another than is known here it draws as it always did: that is never wrong, only slower.
 *
 * @param isFlooding whether more output waits than what is on screen after this frame
 */
export function drawSparingly(
  terminal: Terminal,
  isFlooding: () => boolean,
  frames: Frames = windowFrames,
): Drawing {
  const parts = partsOf(terminal);
  if (parts === undefined) return { close: () => {} };
  const stopBar = moveScrollBarWithFrames(parts, terminal);
  skipRedrawsWithoutSelection(parts.renderer, terminal);
  skipFramesOfFloods(parts.frames, isFlooding, frames);
  return { close: stopBar };
}

function moveScrollBarWithFrames({ viewport, renderer, frames }: XtermParts, terminal: Terminal): () => void {
  const sync = viewport._sync.bind(viewport);
  const scrollLines = viewport.scrollLines.bind(viewport);
  const scrollToLine = viewport.scrollToLine.bind(viewport);
  const draw = frames._innerRefresh.bind(frames);
  let behind = false;
  let drawing = false;
  const barLine = () =>
    Math.round(
      viewport._scrollableElement.getScrollPosition().scrollTop / renderer.dimensions.css.cell.height,
    );
  const catchUp = () => {
    if (!behind) return;
    behind = false;
    // The buffer may be on that line again, but it was on others that the bar was not moved to, or not from.
    if (barLine() !== terminal.buffer.active.viewportY) viewport._latestYDisp = undefined;
    sync();
  };
  viewport._sync = (line) => {
    if (drawing || line !== undefined) sync(line);
    // A line that scrolls is drawn, so there will be a frame.
    else behind = true;
  };
  // Whoever scrolls from where the bar is has to find it where the buffer is.
  viewport.scrollLines = (lines) => {
    catchUp();
    scrollLines(lines);
  };
  viewport.scrollToLine = (line, atOnce) => {
    catchUp();
    scrollToLine(line, atOnce);
  };
  frames._innerRefresh = () => {
    drawing = true;
    try {
      catchUp();
      draw();
    } finally {
      drawing = false;
    }
  };
  const closing = new AbortController();
  for (const event of ["wheel", "pointerdown"])
    terminal.element?.addEventListener(event, catchUp, {
      capture: true,
      passive: true,
      signal: closing.signal,
    });
  return () => closing.abort();
}

/**
 * Scrolled back they are needed: a line that goes at the start of the buffer, or all of them, moves others into view, and
 * xterm draws again what changed at the end only.
 */
function skipRedrawsWithoutSelection(renderer: XtermParts["renderer"], terminal: Terminal): void {
  const redraw = renderer.handleSelectionChanged.bind(renderer);
  let selected = false;
  renderer.handleSelectionChanged = (from, to, columns) => {
    const before = selected;
    selected = from !== undefined;
    // Told of none, xterm keeps the one before and draws it again with the next size. For an empty one it forgets it.
    if (before && !selected) return redraw([0, 0], [0, 0], columns);
    const { baseY, viewportY } = terminal.buffer.active;
    if (selected || viewportY !== baseY) redraw(from, to, columns);
  };
}

function skipFramesOfFloods(
  frames: XtermParts["frames"],
  isFlooding: () => boolean,
  { nowMs, next }: Frames,
): void {
  const draw = frames._innerRefresh.bind(frames);
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  frames._innerRefresh = () => {
    const now = nowMs();
    if (isFlooding() && now - drawnAtMs < FLOOD_FRAME_MS) {
      frames._animationFrame = next(() => frames._innerRefresh());
      return;
    }
    drawnAtMs = now;
    draw();
  };
}

const windowFrames: Frames = {
  nowMs: () => performance.now(),
  next: (draw) => requestAnimationFrame(draw),
};
