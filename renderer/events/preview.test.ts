import { expect, test } from "vitest";
import { previewOf } from "./preview.ts";

test.each([
  [
    { order_id: "o-1", total: 12n, lines: [1], gone: null, none: {} },
    '{order_id: "o-1", total: 12, lines: […], gone: null, none: {}}',
  ],
  [[1, "two", [3]], '[1, "two", […]]'],
  [undefined, ""],
  ["text", '"text"'],
])("a payload on one line: case %#", (value, line) => {
  expect(previewOf(value)).toBe(line);
});

test("a long payload is cut and a wide one is not walked to its end", () => {
  expect(previewOf("x".repeat(1_000)).length).toBeLessThan(200);
  expect(previewOf(Array.from({ length: 1_000 }, (_, index) => index))).toBe(
    "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …]",
  );
});
