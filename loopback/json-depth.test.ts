import { expect, it } from "vitest";
import { isShallow } from "./json-depth.ts";

it.each([
  ["[".repeat(64) + "]".repeat(64), true],
  ["[".repeat(65) + "]".repeat(65), false],
  [`{"a":"${"[".repeat(100)}"}`, true],
  [`"\\"${"[".repeat(100)}"`, true],
  ["[[],[],[]]".repeat(30), true],
])("measures the depth of %s", (text, shallow) => {
  expect(isShallow(text, 64)).toBe(shallow);
});
