import type { Terminal } from "@xterm/xterm";

/** In a flood so long passes at least between two drawn frames, in ms: every second frame of a usual screen. */
export const FLOOD_FRAME_MS = 25;

/*
 * xterm 6.0.0 has no public way to any of this, so three of its parts are taken by name. Where one is missing, or is something
 * else, it draws as it always did: that is never wrong, only slower. terminal-tabs.e2e.ts tells when that comes.
 */
interface Parts {
  readonly viewport: {
    /** Fits the scroll bar to the buffer; with no argument, to where the buffer is now. */
    _sync: (line?: number) => void;
    scrollLines: (lines: number) => void;
  };
  readonly renderer: { handleSelectionChanged: (from: unknown, to: unknown, columns: boolean) => void };
  readonly frames: { _innerRefresh: () => void; _animationFrame: number | undefined };
}

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
 * - With every frame that scrolled, xterm draws all rows for a selection, and then once more. Here not when nothing is selected.
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
  const stopBar = moveScrollBarWithFrames(parts, terminal.element);
  skipRedrawsWithoutSelection(parts.renderer);
  skipFramesOfFloods(parts.frames, isFlooding, frames);
  return { close: stopBar };
}

function moveScrollBarWithFrames({ viewport, frames }: Parts, element: HTMLElement | undefined): () => void {
  const sync = viewport._sync.bind(viewport);
  const scrollLines = viewport.scrollLines.bind(viewport);
  const draw = frames._innerRefresh.bind(frames);
  let behind = false;
  let drawing = false;
  const catchUp = () => {
    if (behind) sync();
    behind = false;
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
    element?.addEventListener(event, catchUp, { capture: true, passive: true, signal: closing.signal });
  return () => closing.abort();
}

function skipRedrawsWithoutSelection(renderer: Parts["renderer"]): void {
  const redraw = renderer.handleSelectionChanged.bind(renderer);
  let selected = false;
  renderer.handleSelectionChanged = (from, to, columns) => {
    const before = selected;
    selected = from !== undefined;
    if (before || selected) redraw(from, to, columns);
  };
}

function skipFramesOfFloods(
  frames: Parts["frames"],
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

function partsOf(terminal: Terminal): Parts | undefined {
  const core = part(terminal, "_core");
  const viewport = part(core, "_viewport");
  const renderer = part(core, "_renderService");
  const frames = part(renderer, "_renderDebouncer");
  const whole =
    has(viewport, "_sync", "scrollLines") &&
    has(renderer, "handleSelectionChanged") &&
    has(frames, "_innerRefresh");
  return whole ? ({ viewport, renderer, frames } as unknown as Parts) : undefined;
}

function part(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
}

function has(one: unknown, ...methods: readonly string[]): boolean {
  return methods.every((method) => typeof part(one, method) === "function");
}
