import { describe, expect, test } from "vitest";
import { isExact, jsonText, kindOf, measureJson, scalarText } from "./exact.ts";
import { readBody } from "./read-body.ts";

describe("exact numbers", () => {
  test("a number that no double holds keeps every digit", () => {
    for (const digits of ["9223372036854775807", "0.1234567890123456789", "1e400"]) {
      const value = readBody(`#{"n":${digits},"small":12}`);
      expect(jsonText(value)).toBe(`{\n  "n": ${digits},\n  "small": 12\n}`);
      expect(value).toMatchObject({ small: 12 });
    }
    expect(jsonText({ n: 9223372036854775807n })).toBe('{\n  "n": 9223372036854775807\n}');
    expect(scalarText(9223372036854775807n)).toBe("9223372036854775807");
  });

  test("an object of a payload that looks like such a number stays an object, beside one and alone", () => {
    const forged = { isLosslessNumber: true, value: "1" };
    for (const text of [`{"a":${JSON.stringify(forged)}}`, `#{"a":${JSON.stringify(forged)},"n":1e400}`]) {
      const { a } = readBody(text) as { a: unknown };
      expect(a).toEqual(forged);
      expect(isExact(a)).toBe(false);
      expect(kindOf(a)).toBe("object");
      expect(jsonText(a)).toBe(JSON.stringify(forged, null, 2));
    }
  });

  test("a member named __proto__ stays a member", () => {
    const text = '{"__proto__":{"a":1},"n":9223372036854775807}';
    expect(jsonText(readBody(`#${text}`)).replaceAll(/\s/g, "")).toBe(text);
  });
});

describe("measureJson", () => {
  test("counts every value", () => {
    expect(measureJson({ a: [1, "two", null], b: true }, { nodes: 100, chars: 1_000 })).toMatchObject({
      nodes: 6,
      more: false,
    });
  });

  test("stops one past a limit of values", () => {
    const list = Array.from({ length: 1_000 }, () => 0);
    expect(measureJson(list, { nodes: 1_001, chars: 1e9 }).more).toBe(false);
    expect(measureJson(list, { nodes: 1_000, chars: 1e9 })).toMatchObject({ nodes: 1_001, more: true });
  });

  test("stops at a limit of characters", () => {
    expect(measureJson("x".repeat(98), { nodes: 10, chars: 100 }).more).toBe(false);
    expect(measureJson("x".repeat(99), { nodes: 10, chars: 100 }).more).toBe(true);
  });
});
