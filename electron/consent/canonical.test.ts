import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CanonicalError, canonicalJson, keyedDigest, MAX_DEPTH } from "./canonical.ts";

const key = new Uint8Array(32).fill(7);

/** The same value with every object's names in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, shuffled(member)] as const);
  return Object.fromEntries(entries.reverse());
}

const jsonValue = fc.jsonValue({ maxDepth: 6 });
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the canonical form", () => {
  it("does not depend on the order of names", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("is JSON of the same value", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(asJson(value));
      }),
    );
  });

  it("differs for values that differ", () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (a, b) => {
        const same = JSON.stringify(sorted(asJson(a))) === JSON.stringify(sorted(asJson(b)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
      }),
    );
  });

  it.each([
    [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
    [
      { "\u20ac": 1, "\r": 2, "1": 3, "\ud83d\ude00": 4, "\ufb33": 5 },
      '{"\\r":2,"1":3,"€":1,"😀":4,"\ufb33":5}',
    ],
    [[1e21, 0.1, -0, 1e-7], "[1e+21,0.1,0,1e-7]"],
    ["\ud800", '"\\ud800"'],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ])("of %j is %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each([
    ["undefined", undefined],
    ["a member that is undefined", { a: undefined }],
    ["a function", () => 1],
    ["a big integer", 1n],
    ["NaN", Number.NaN],
    ["Infinity", [Number.POSITIVE_INFINITY]],
    ["a date", new Date(0)],
    ["a map", new Map()],
  ])("does not exist for %s", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(CanonicalError);
  });

  it.each([
    ["arrays", (inner: unknown): unknown => [inner]],
    ["objects", (inner: unknown): unknown => ({ a: inner })],
  ])("is bounded at 64 levels of %s, to the level", (_, wrap) => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : wrap(nested(levels - 1)));
    expect(MAX_DEPTH).toBe(64);
    expect(canonicalJson(nested(64))).toContain("1");
    expect(() => canonicalJson(nested(65))).toThrow("nested deeper than 64 levels");
  });

  it("exists for an object without a prototype", () => {
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  });

  it.each([
    [Number.NaN, "a number that JSON does not have"],
    [new Date(0), "not a plain object"],
    [undefined, "undefined is not a JSON value"],
  ])("says why there is none for %s, by an error of its own name", (value, message) => {
    expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ name: "CanonicalError", message }));
  });
});

describe("the digest", () => {
  it("is the same for the same value and key, and for no other", () => {
    const digest = keyedDigest(key, { a: 1, b: 2 });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(keyedDigest(key, { b: 2, a: 1 })).toBe(digest);
    expect(keyedDigest(key, { a: 1, b: 3 })).not.toBe(digest);
    expect(keyedDigest(new Uint8Array(32).fill(8), { a: 1, b: 2 })).not.toBe(digest);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]).concat([["{}", 0]]);
}
