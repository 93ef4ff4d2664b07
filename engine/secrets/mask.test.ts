import { LosslessNumber } from "lossless-json";
import { describe, expect, it } from "vitest";
import { maskDeep, maskSecrets } from "./mask.ts";

it("takes secrets out of texts, plain and as JSON writes them, the longest first", () => {
  const masked = maskSecrets(["abcd", 'a"b\nc-long', "abc"]);
  expect(masked('abcd, a"b\nc-long, a\\"b\\nc-long, abc')).toBe("***, ***, ***, abc");
  expect(maskDeep({ message: "abcd", details: [{ n: 1, text: "xabcdx" }], none: null }, masked)).toEqual({
    message: "***",
    details: [{ n: 1, text: "x***x" }],
    none: null,
  });
});

it("leaves nothing of secrets that overlap, and takes them out of names and numbers", () => {
  expect(maskSecrets(["abcdef", "defghi"])("<abcdefghi abcdefabcdef>")).toBe("<*** ******>");
  const masked = maskSecrets(["12345678901234567890", "98765", "name-of-it"]);
  expect(
    maskDeep({ "name-of-it": new LosslessNumber("12345678901234567890"), n: [98765, 9876] }, masked),
  ).toEqual({
    "***": "***",
    n: ["***", 9876],
  });
});

describe("the forms of a secret", () => {
  const secret = 's3cr3t/VALUE"quoted" <&>\\\nthe second line-ÄÖ+?~';
  const masked = maskSecrets([secret]);
  const json = (text: string) => JSON.stringify({ k: text });
  const ascii = (text: string) =>
    text.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

  it.each([
    ["in JSON", json(secret)],
    ["in JSON in JSON", json(json(secret))],
    ["in JSON in JSON in JSON", json(json(json(secret)))],
    ["in ASCII JSON, twice", json(ascii(json(secret)))],
    [
      "in JSON for HTML",
      json(secret).replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e"),
    ],
    ["in JSON with slashes escaped", json(secret).replace("/", "\\/")],
    ["percent-encoded", encodeURIComponent(secret)],
    ["percent-encoded with small digits", encodeURIComponent(secret).replace(/%../g, (c) => c.toLowerCase())],
    ["in a form", new URLSearchParams({ k: secret }).toString()],
    ["in hex", Buffer.from(secret).toString("hex")],
    ["as its first line", secret.split("\n")[0] ?? ""],
    ["as its second line, in JSON", json(secret.split("\n")[1] ?? "")],
  ])("are masked: %s", (_what, text) => {
    expect(masked(`before ${text} after`)).toMatch(/^before .{0,60}\*\*\*.{0,40} after$/s);
  });

  it.each(["", "u", "us", "use", "user:"])("are masked: base64 behind %j", (before) => {
    for (const coding of ["base64", "base64url"] as const) {
      for (const after of ["", "!", "!!", "!!!"]) {
        const left = masked(`[${Buffer.from(before + secret + after).toString(coding)}]`);
        expect(left).toContain("***");
        // What is left is of its neighbours, and less than a byte of it on either side.
        expect(left.length).toBeLessThanOrEqual("[***]".length + 2 * 8 + 4);
      }
    }
  });

  it("are not seen in what only begins like them, and short pieces stay", () => {
    expect(masked("s3cr3t/VALU and more")).toBe("s3cr3t/VALU and more");
    expect(maskSecrets(["long enough\nshort"])("short")).toBe("short");
  });
});

it("masks the rest unread when comparing would go on and on", () => {
  const masked = maskSecrets([`${"a".repeat(60_000)}b`]);
  const left = masked(`${"a".repeat(200_000)}!`);
  expect(left.endsWith("***")).toBe(true);
  expect(left.length).toBeLessThan(10_000);
});
