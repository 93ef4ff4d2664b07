import { describe, expect, it } from "vitest";
import { MAX_SIZES, SizeHistory } from "./size-history.ts";

const sized = (cols: number) => ({ cols, rows: 24 });
/** Says of each size how wide it is. */
const widths = ({ size, changes }: ReturnType<SizeHistory["from"]>) => [
  size.cols,
  ...changes.map((change) => change.size.cols),
];

describe("the sizes of a terminal", () => {
  it("are the one that held at a byte, and each change after it", () => {
    const sizes = new SizeHistory(sized(80));
    sizes.note(0, sized(81), 1);
    sizes.note(10, sized(82), 2);
    sizes.note(10, sized(83), 2);
    sizes.note(20, sized(84), 3);
    expect(sizes.current).toEqual(sized(84));
    expect(widths(sizes.from(0))).toEqual([81, 82, 83, 84]);
    expect(widths(sizes.from(9))).toEqual([81, 82, 83, 84]);
    expect(widths(sizes.from(10))).toEqual([83, 84]);
    expect(widths(sizes.from(20))).toEqual([84]);
    expect(sizes.from(10).changes).toEqual([{ offset: 20, size: sized(84), atMs: 3 }]);
    expect(widths(new SizeHistory(sized(80)).from(7))).toEqual([80]);
  });

  it("are all there up to the limit; one more, and of those that came close together the last is left", () => {
    const sizes = new SizeHistory(sized(2));
    const dragged = MAX_SIZES - 2;
    sizes.note(1, sized(500), 0);
    for (let step = 0; step < dragged; step += 1) sizes.note(100 + step, sized(501 + step), 1_000_000 + step);
    expect(widths(sizes.from(0))).toHaveLength(MAX_SIZES);
    sizes.note(9_999, sized(9_000), 2_000_000);
    const [first, early, ...left] = widths(sizes.from(0));
    expect([first, early]).toEqual([2, 500]);
    expect(left.length).toBeLessThan(MAX_SIZES / 2);
    expect(left).toEqual(left.toSorted((a, b) => a - b));
    expect(left.slice(-2)).toEqual([500 + dragged, 9_000]);
    expect(sizes.current).toEqual(sized(9_000));
  });

  it("are bounded however often they change, and the last is right after each change", () => {
    const sizes = new SizeHistory(sized(2));
    for (let step = 0; step < 3 * MAX_SIZES; step += 1) {
      const size = sized(2 + (step % 998));
      sizes.note(step, size, step % 3 === 0 ? 0 : step * 16); // a wall clock may also be set back
      expect(sizes.current).toEqual(size);
      expect(widths(sizes.from(0)).at(-1)).toBe(size.cols);
    }
    const { changes } = sizes.from(0);
    expect(changes.length).toBeLessThan(MAX_SIZES);
    const offsets = changes.map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  });
});
