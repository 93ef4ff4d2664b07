import { describe, expect, test } from "vitest";
import { jsonRows, LINE_CHARS } from "./json-rows.ts";

const none = new Set<string>();
const lines = (value: unknown, toggled: ReadonlySet<string> = none) =>
  jsonRows(value, toggled).map(({ depth, key, text }) => `${"  ".repeat(depth)}${key ?? ""}: ${text}`);

describe("jsonRows", () => {
  test("two levels are open at first, in the order of the payload", () => {
    expect(lines({ b: { c: { d: 1 } }, a: [true, null] })).toEqual([
      ": 2 fields",
      "  b: 1 field",
      "    c: 1 field",
      "  a: 2 items",
      "    0: true",
      "    1: null",
    ]);
  });

  test("a toggled path is closed when it would be open, and open when it would be closed", () => {
    expect(lines({ a: { b: { c: 1 } } }, new Set(['$/"a"']))).toEqual([": 1 field", "  a: 1 field"]);
    expect(lines({ a: { b: { c: 1 } } }, new Set(['$/"a"/"b"']))).toContain("      c: 1");
  });

  test("keys that look alike have paths of their own", () => {
    const paths = jsonRows({ 'a"/"b': 1, a: { b: 2 }, "0": [3] }, none).map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test("a string of a line's length is whole, one more is cut and can be opened", () => {
    const fits = "x".repeat(LINE_CHARS);
    expect(jsonRows(fits, none)[0]).toMatchObject({ text: `"${fits}"`, opens: false });
    expect(jsonRows(`${fits}y`, none)[0]).toMatchObject({ opens: true, open: false, whole: null });
    expect(jsonRows(`${fits}y`, new Set(["$"]))[0]).toMatchObject({ open: true, whole: `${fits}y` });
  });

  test("empty things and things that are not there say so", () => {
    expect(lines({ a: {}, b: [], c: "" })).toEqual([": 3 fields", "  a: {}", "  b: []", '  c: ""']);
    expect(jsonRows(undefined, none)[0]?.kind).toBe("absent");
  });

  test("nesting deeper than the call stack is a long list, not a crash", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(jsonRows(deep, none)).toHaveLength(3);
  });
});
