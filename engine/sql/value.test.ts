import { expect, it } from "vitest";
import { valueJson, valueText, type SqlValue } from "./value.ts";

const cases: [SqlValue, string, string][] = [
  [null, "", "null"],
  ["", "", '""'],
  [9_223_372_036_854_775_807n, "9223372036854775807", "9223372036854775807"],
  [2, "2.0", "2.0"],
  [-0.5, "-0.5", "-0.5"],
  [1e300, "1e+300", "1e+300"],
  [Number.NEGATIVE_INFINITY, "-Infinity", '"-Infinity"'],
  ['a"b', 'a"b', '"a\\"b"'],
  [new Uint8Array([255]), "/w==", '"/w=="'],
];

it("writes values so that none is taken for another", () => {
  for (const [value, text, json] of cases) expect([valueText(value), valueJson(value)]).toEqual([text, json]);
});
