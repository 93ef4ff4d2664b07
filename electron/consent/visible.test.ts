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
