import { describe, expect, it } from "vitest";
import { hashToken, makeToken, parseBearer, sameToken } from "./token.ts";

describe("makeToken", () => {
  it("carries its prefix and 256 random bits", () => {
    const token = makeToken("ibk_");
    expect(token).toMatch(/^ibk_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token.slice(4), "base64url")).toHaveLength(32);
  });

  it("never makes the same token twice", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => makeToken("ibk_"))).size).toBe(1_000);
  });

  it.each(["", "_", "ibk", "Ibk_", "ib-k_", "1bk_", "ibk_\n", "abcdefghijklm_"])(
    "refuses the prefix %j",
    (prefix) => {
      expect(() => makeToken(prefix)).toThrow(RangeError);
    },
  );
});

describe("sameToken", () => {
  it.each([
    ["abc", "abc", true],
    ["abc", "abd", false],
    ["abc", "abcd", false],
    ["", "abc", false],
    ["", "", false],
    [undefined, "abc", false],
    ["é", "é", true],
  ])("%j against %j is %s", (given, wanted, same) => {
    expect(sameToken(given, wanted)).toBe(same);
  });
});

describe("hashToken", () => {
  it("is sha256 in hex", () => {
    expect(hashToken("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});

describe("parseBearer", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["BEARER a-b_c.d~e+f/g==", "a-b_c.d~e+f/g=="],
    [`Bearer ${"x".repeat(512)}`, "x".repeat(512)],
  ])("takes the token out of %j", (header, token) => {
    expect(parseBearer(header)).toBe(token);
  });

  it.each([
    undefined,
    "",
    "abc",
    "Bearer",
    "Bearer ",
    "Bearer  abc",
    " Bearer abc",
    "Bearer abc ",
    "Bearer abc def",
    "Bearer abc, Bearer def",
    "Bearer\tabc",
    "Bearer a===",
    "Bearer a=b",
    "Bearer a\u00e9",
    "Basic abc",
    "Bearer abc\n",
    `Bearer ${"x".repeat(513)}`,
  ])("finds none in %j", (header) => {
    expect(parseBearer(header)).toBeUndefined();
  });
});
