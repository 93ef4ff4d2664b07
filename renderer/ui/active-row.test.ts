import { expect, it } from "vitest";
import { activeIndex, elementKeys } from "./active-row.ts";

const shown = (...keys: (string | undefined)[]) => keys.map((key, index) => ({ index, key }));

it("stays on its record when rows come above it", () => {
  const active = { index: 1, key: "b" };
  expect(activeIndex(active, shown("a", "b", "c"), 3)).toBe(1);
  expect(activeIndex(active, shown("new", "newer", "a", "b", "c"), 5)).toBe(3);
});

it("stays where it was when its record is not on screen, inside the list", () => {
  expect(activeIndex({ index: 4, key: "gone" }, shown("a", "b"), 2)).toBe(1);
  expect(activeIndex({ index: 90, key: "below" }, shown("a", undefined), 200)).toBe(90);
  expect(activeIndex({ index: 0 }, shown("new", "a"), 2)).toBe(0);
  expect(activeIndex({ index: 3, key: "a" }, [], 0)).toBe(0);
});

it("knows rows by their record, and by their place where there is none or it is there twice", () => {
  expect(elementKeys(shown("a", undefined, "b", "a"))).toEqual(["row a", "place 1", "row b", "place 3"]);
});
