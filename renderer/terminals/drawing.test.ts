import { Terminal } from "@xterm/xterm";
import { describe, expect, test } from "vitest";
import { drawSparingly, FLOOD_FRAME_MS } from "./drawing.ts";

const CELL_PX = 15;

/** What xterm has inside once it is open, as far as it is touched; what is asked of it is written down. */
function setUp() {
  const done: string[] = [];
  const state = { nowMs: 0, flooding: false };
  const waiting: (() => void)[] = [];
  const frames = {
    _animationFrame: undefined as number | undefined,
    callbacks: [] as (() => void)[],
    _innerRefresh() {
      done.push("draw");
      for (const callback of frames.callbacks.splice(0)) callback();
    },
  };
  const bar = { scrollTop: 0 };
  const viewport = {
    _sync: (line?: number) => void done.push(`bar ${line ?? "now"}`),
    _latestYDisp: undefined as number | undefined,
    _scrollableElement: { getScrollPosition: () => bar },
    scrollLines: (lines: number) => void done.push(`scroll ${lines}`),
    scrollToLine: (line: number) => void done.push(`to ${line}`),
  };
  const renderer = {
    _renderDebouncer: frames,
    handleSelectionChanged: (from: unknown) => void done.push(`select ${String(from)}`),
    dimensions: { css: { cell: { height: CELL_PX } } },
  };
  const buffer = { baseY: 0, viewportY: 0 };
  const element = new EventTarget();
  const terminal = {
    _core: { _viewport: viewport, _renderService: renderer },
    buffer: { active: buffer },
    element,
  };
  const drawing = drawSparingly(terminal as unknown as Terminal, () => state.flooding, {
    nowMs: () => state.nowMs,
    next: (draw) => waiting.push(draw),
  });
  /** The window's next frame. */
  const frame = () => {
    state.nowMs += 17;
    for (const draw of waiting.splice(0)) draw();
  };
  return { done, state, frames, viewport, bar, buffer, renderer, element, drawing, frame, waiting };
}

describe("drawing", () => {
  test("the scroll bar is moved once for a frame, however many lines came", () => {
    const { done, frames, viewport } = setUp();
    for (let line = 0; line < 1_000; line += 1) viewport._sync();
    frames._innerRefresh();
    frames._innerRefresh();
    expect(done).toEqual(["bar now", "draw", "draw"]);
  });

  test("what asks for the scroll bar in a frame, or for a line of its own, has it at once", () => {
    const { done, frames, viewport } = setUp();
    frames.callbacks.push(() => viewport._sync());
    frames._innerRefresh();
    viewport._sync(7);
    expect(done).toEqual(["draw", "bar now", "bar 7"]);
  });

  test.each(["wheel", "pointerdown"])("[B6] a %s finds the scroll bar where the buffer is", (event) => {
    const { done, viewport, element, drawing } = setUp();
    viewport._sync();
    element.dispatchEvent(new Event(event));
    element.dispatchEvent(new Event(event));
    expect(done).toEqual(["bar now"]);
    drawing.close();
    viewport._sync();
    element.dispatchEvent(new Event(event));
    expect(done).toEqual(["bar now"]);
  });

  test("[B6] keys scroll from where the buffer is", () => {
    const { done, viewport } = setUp();
    viewport._sync();
    viewport.scrollLines(-3);
    expect(done).toEqual(["bar now", "scroll -3"]);
  });

  test("[B6] a key that goes to the end goes there from where the buffer is", () => {
    const { done, viewport } = setUp();
    viewport._sync();
    viewport.scrollToLine(900);
    expect(done).toEqual(["bar now", "to 900"]);
  });

  test("[B6] the scroll bar goes to a line where it once was, too, and is left between two lines", () => {
    const { viewport, bar, buffer } = setUp();
    const line = 40;
    Object.assign(buffer, { viewportY: line, baseY: line });
    viewport._latestYDisp = line;
    bar.scrollTop = (line + 0.4) * CELL_PX;
    viewport._sync();
    viewport.scrollLines(0);
    expect(viewport._latestYDisp).toBe(line);
    bar.scrollTop = 0;
    viewport._sync();
    viewport.scrollLines(0);
    expect(viewport._latestYDisp).toBeUndefined();
  });

  test("[B6] who has scrolled back is shown what comes into view as lines go at the start", () => {
    const { done, renderer, buffer } = setUp();
    Object.assign(buffer, { viewportY: 0, baseY: 20_000 });
    const change = renderer.handleSelectionChanged as (from: unknown, to: unknown, columns: boolean) => void;
    change(undefined, undefined, false);
    expect(done).toEqual(["select undefined"]);
  });

  test("rows are not drawn for a selection that is not there; one that comes and goes is drawn", () => {
    const { done, renderer } = setUp();
    const change = renderer.handleSelectionChanged as (from: unknown, to: unknown, columns: boolean) => void;
    for (const from of [undefined, undefined, "a", "b", undefined, undefined]) change(from, from, false);
    // An empty one: told of none, xterm would draw the old one again with the next size.
    expect(done).toEqual(["select a", "select b", "select 0,0"]);
  });

  test("[B4] every second frame of a flood is drawn, and its last one at once", () => {
    const { done, state, frames, frame, waiting } = setUp();
    frames._innerRefresh();
    state.flooding = true;
    let drawn = 0;
    for (let at = 0; at < 20; at += 1) {
      if (waiting.length === 0) waiting.push(() => frames._innerRefresh());
      done.length = 0;
      frame();
      drawn += done.length;
    }
    expect(drawn).toBe(10);
    frames._innerRefresh();
    done.length = 0;
    state.flooding = false;
    frame();
    expect(done).toEqual(["draw"]);
  });

  test("[B6] without a flood every frame is drawn", () => {
    const { done, state, frames } = setUp();
    for (let at = 0; at < 5; at += 1) {
      state.nowMs += FLOOD_FRAME_MS / 5;
      frames._innerRefresh();
    }
    expect(done).toHaveLength(5);
  });

  test("a terminal that has none of these parts is left as it is", () => {
    const terminal = new Terminal();
    drawSparingly(terminal, () => true).close();
    terminal.dispose();
    expect(() => drawSparingly({} as Terminal, () => true).close()).not.toThrow();
  });
});
