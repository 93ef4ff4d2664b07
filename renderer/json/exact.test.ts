import { parse } from "lossless-json";
import { describe, expect, test } from "vitest";
import { isExact, jsonText, kindOf, measureJson, scalarText } from "./exact.ts";

describe("exact numbers", () => {
  test("a number that no double holds keeps every digit, as bigint and as a cloned lossless number", () => {
    for (const digits of ["9223372036854775807", "0.1234567890123456789", "1e400"]) {
      const cloned: unknown = structuredClone(parse(`{"n":${digits}}`));
      expect(jsonText(cloned)).toBe(`{\n  "n": ${digits}\n}`);
    }
    expect(jsonText({ n: 9223372036854775807n })).toBe('{\n  "n": 9223372036854775807\n}');
    expect(scalarText(9223372036854775807n)).toBe("9223372036854775807");
  });

  test("an object that only pretends to be a number stays an object", () => {
    expect(isExact({ isLosslessNumber: true, value: "rm -rf" })).toBe(false);
    expect(kindOf({ isLosslessNumber: true, value: "1; 2" })).toBe("object");
    expect(isExact({ isLosslessNumber: true, value: "01" })).toBe(false);
    expect(isExact({ isLosslessNumber: true, value: "1", more: "a payload's own" })).toBe(false);
    const inherited: unknown = Object.create(
      { isLosslessNumber: true, value: "1" },
      { real: { value: 2, enumerable: true } },
    );
    expect(kindOf(inherited)).toBe("object");
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
