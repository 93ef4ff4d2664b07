import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "react";

/** The rows of a long list that are on screen. `scroller` is the box that scrolls; heights are in px. */
export function useRows(options: {
  count: number;
  scroller: RefObject<HTMLDivElement | null>;
  rowPx: number;
  overscan: number;
  keyOf?: (index: number) => string | number;
  /** Space above the first row, inside the scrolled box, that a sticky head covers. */
  headPx?: number;
  /** How far below the top of the scrolled box the list begins. */
  marginPx?: number;
}): Virtualizer<HTMLDivElement, Element> {
  const { scroller, rowPx, headPx = 0 } = options;
  // Its functions change what they answer without changing themselves; nothing here memoizes on them.
  // oxlint-disable-next-line react/incompatible-library
  return useVirtualizer<HTMLDivElement, Element>({
    count: options.count,
    overscan: options.overscan,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    paddingStart: headPx,
    scrollPaddingStart: headPx,
    scrollMargin: options.marginPx ?? 0,
    ...(options.keyOf !== undefined && { getItemKey: options.keyOf }),
  });
}
