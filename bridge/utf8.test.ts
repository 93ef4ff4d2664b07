import { describe, expect, it } from "vitest";
import { brokenStart, wholeCharacters } from "./utf8.ts";

const TEXT = "aé€😀e\u0301\u{10ffff}\ud7ff\ue000\u07ff\u0800\uffff\u{10000}";

describe("wholeCharacters", () => {
  it("cuts every prefix of a text at the end of its last whole character", () => {
    const bytes = Buffer.from(TEXT);
    for (let length = 0; length <= bytes.length; length += 1) {
      const whole = wholeCharacters(bytes.subarray(0, length));
      expect(TEXT.startsWith(bytes.toString("utf8", 0, whole))).toBe(true);
      expect(length - whole).toBeLessThan(4);
      // One character more would have been too much.
      expect(bytes.toString("utf8", 0, length) === bytes.toString("utf8", 0, whole)).toBe(whole === length);
    }
  });

  it.each([
    ["an overlong start", [0x61, 0xc0]],
    ["a byte that is in no UTF-8", [0x61, 0xff]],
    ["an overlong second byte", [0x61, 0xe0, 0x80]],
    ["a surrogate", [0x61, 0xed, 0xa0]],
    ["a plane that does not exist", [0x61, 0xf4, 0x90]],
    ["a lead byte above the last plane", [0x61, 0xf5, 0x80]],
    ["an overlong four-byte form", [0x61, 0xf0, 0x8f, 0xbf]],
    ["continuation bytes alone", [0x80, 0x80, 0x80, 0x80]],
  ])("holds back nothing of %s: it can never become a character", (_name, bytes) => {
    expect(wholeCharacters(Uint8Array.from(bytes))).toBe(bytes.length);
  });

  it.each([
    ["the first of two bytes", [0x61, 0xc3], 1],
    ["the first of three", [0x61, 0xe2], 1],
    ["two of three", [0x61, 0xe2, 0x82], 1],
    ["one of four", [0x61, 0xf0], 1],
    ["two of four", [0x61, 0xf0, 0x9f], 1],
    ["three of four", [0x61, 0xf0, 0x9f, 0x98], 1],
    ["a lead byte right after another", [0xe2, 0xc3], 1],
  ])("holds back %s", (_name, bytes, whole) => {
    expect(wholeCharacters(Uint8Array.from(bytes))).toBe(whole);
  });
});

describe("brokenStart", () => {
  it("counts the rest of the character that every suffix of a text begins in", () => {
    const bytes = Buffer.from(TEXT);
    for (let from = 0; from <= bytes.length; from += 1) {
      const rest = bytes.subarray(from);
      expect(TEXT.endsWith(rest.subarray(brokenStart(rest)).toString("utf8"))).toBe(true);
    }
  });

  it("skips no more than a character can have", () => {
    expect(brokenStart(Uint8Array.from([0x80, 0x80, 0x80, 0x80, 0x80]))).toBe(3);
  });
});
