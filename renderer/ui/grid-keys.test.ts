import { expect, test } from "vitest";
import { keyTarget } from "./grid-keys.ts";

const key = (name: string, ctrlKey = false) => ({ key: name, altKey: false, ctrlKey, metaKey: false });

test.each([
  ["ArrowDown", 0, 1],
  ["ArrowDown", 9, 9],
  ["ArrowUp", 0, 0],
  ["ArrowUp", 5, 4],
  ["PageDown", 8, 9],
  ["PageUp", 2, 0],
  ["Home", 7, 0],
  ["End", 7, 9],
])("%s in row %d of ten leads to row %d", (name, from, to) => {
  expect(keyTarget(key(name), from, 10, 4)).toBe(to);
});

test("other keys, keys with a modifier and an empty list lead nowhere", () => {
  expect(keyTarget(key("a"), 0, 10, 4)).toBeUndefined();
  expect(keyTarget(key("ArrowDown", true), 0, 10, 4)).toBeUndefined();
  expect(keyTarget(key("ArrowDown"), 0, 0, 4)).toBeUndefined();
});
