import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeVisible } from "../contract/visible.ts";
import { shown } from "./visible.ts";

describe("a value shown to the person", () => {
  it.each([
    ["run_1234", "run_1234"],
    ["Größe 東京 мир 5 €", "Größe 東京 мир 5 €"],
    ["😀", "😀"],
    ["a\u200bb", "a⟨U+200B⟩b"],
    ["a\u202eb", "a⟨U+202E⟩b"],
    ["a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"],
    ["a\nb\tc\u0000", "a⟨U+000A⟩b⟨U+0009⟩c⟨U+0000⟩"],
    ["a\u00a0b", "a⟨U+00A0⟩b"],
    ["a\u3164b", "a⟨U+3164⟩b"],
    ["a\u2800b", "a⟨U+2800⟩b"],
    ["a\ufe0fb", "a⟨U+FE0F⟩b"],
    ["a\u{e0041}b", "a⟨U+E0041⟩b"],
    ["a\u00adb", "a⟨U+00AD⟩b"],
    ["a\u034fb", "a⟨U+034F⟩b"],
    ["\ud800", "⟨U+D800⟩"],
    ["⟨U+200B⟩", "⟨U+27E8⟩U+200B⟨U+27E9⟩"],
    // Look-alikes: a Cyrillic a in a Latin word, a word that is Latin to the eye, and words that are what they seem.
    ["p\u0430ypal", "p⟨U+0430⟩ypal"],
    ["run_\u0430bc", "run_⟨U+0430⟩bc"],
    ["\u0440\u0430\u0443", "⟨U+0440⟩⟨U+0430⟩⟨U+0443⟩"],
    ["заказ оплата", "заказ оплата"],
    ["Ελλάδα", "Ελλάδα"],
    ["\u039fK", "⟨U+039F⟩K"],
    ["\u039f1", "⟨U+039F⟩1"],
    ["\uff21dmin", "⟨U+FF21⟩dmin"],
    ["\u{1d41a}dmin", "⟨U+1D41A⟩dmin"],
    ["\u212a", "⟨U+212A⟩"],
    ["caf\u00e9", "café"],
    ["cafe\u0301", "cafe⟨U+0301⟩"],
    ["किताब", "किताब"],
    ["한국어", "한국어"],
  ])("%j reads %s", (text, visible) => {
    expect(madeVisible(text)).toBe(visible);
    expect(shown("x", text).altered).toBe(visible !== text);
  });

  it("reads differently from every other value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        expect(madeVisible(a) === madeVisible(b)).toBe(a === b);
      }),
    );
  });

  it("is never cut", () => {
    const long = "x".repeat(300_000);
    expect(shown("x", long).text).toBe(long);
  });
});
