import { afterEach, describe, expect, test, vi } from "vitest";
import { holdScrollBar } from "./scroll-bar.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A terminal's element, and what its scroll bar is told. */
function setUp() {
  const told: string[] = [];
  const state = { hovered: false };
  const bar = {
    dispatchEvent: (event: Event) => told.push(event.type),
    matches: () => state.hovered,
  };
  const element = { querySelector: () => bar } as unknown as HTMLElement;
  return { told, state, hold: holdScrollBar({ element }) };
}

describe("the scroll bar", () => {
  test("is held once for a flood, and let go when output rests", () => {
    vi.useFakeTimers();
    vi.stubGlobal("MouseEvent", Event);
    const { told, hold } = setUp();
    for (let at = 0; at < 20; at += 1) {
      hold.flows();
      vi.advanceTimersByTime(100);
    }
    expect(told).toEqual(["mouseover"]);
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(["mouseover", "mouseleave"]);
    hold.flows();
    expect(told).toHaveLength(3);
    hold.close();
    vi.advanceTimersByTime(2_000);
    expect(told).toHaveLength(3);
  });

  test("is left to the browser when the pointer came over it meanwhile", () => {
    vi.useFakeTimers();
    vi.stubGlobal("MouseEvent", Event);
    const { told, state, hold } = setUp();
    hold.flows();
    state.hovered = true;
    vi.advanceTimersByTime(2_000);
    expect(told).toEqual(["mouseover"]);
  });
});
