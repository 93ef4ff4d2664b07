import fc from "fast-check";
import { LosslessNumber, parse, isSafeNumber, stringify } from "lossless-json";
import { expect, it } from "vitest";
import { parseExactJson } from "./exact-json.ts";

/** What it stands for: the library's own, slower parser. */
const byLibrary = (text: string): unknown =>
  parse(text, undefined, {
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits)),
    onDuplicateKey: ({ newValue }) => newValue,
  });

const outcome = (read: (text: string) => unknown, text: string): string => {
  try {
    return stringify(read(text)) ?? "nothing";
  } catch {
    return "not JSON";
  }
};

it.each([
  "9007199254740993",
  "-9007199254740993",
  '{"n":[12345678901234567890,1e400,-1E-400,0.12345678901234567891,1.10,1e21]}',
  '{"__proto__":{"n":12345678901234567890},"n":1}',
  '{"a":"12345678901234567890","b\\"12345678901234567890":"\\\\","c":12345678901234567890}',
  '["\\u0000:12345678901234567890",12345678901234567890,"x:12345678901234567890"]',
  '{"a":12345678901234567890,"a":2}',
])("reads %s as the library does", (text) => {
  expect(outcome(parseExactJson, text)).toBe(outcome(byLibrary, text));
  expect(outcome(parseExactJson, text)).not.toBe("not JSON");
});

it.each([
  "0012345678901234567890",
  "12345678901234567890.",
  "12345678901234567890e",
  "-",
  "--12345678901234567890",
  "+12345678901234567890",
  "12345678901234567890 1",
  '{"a":12345678901234567890',
  '"12345678901234567890',
  '"\\',
  "{12345678901234567890:1}",
  "12345678901234567890abc",
  "[1 12345678901234567890]",
  "0x12345678901234567890",
])("does not take %s for JSON", (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

const numbers = fc.oneof(
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.tuple(fc.bigInt(), fc.nat(), fc.integer({ min: -400, max: 400 })).map(([a, b, c]) => `${a}.${b}e${c}`),
);

it("reads any JSON with any numbers as the library does", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constant("\\"),
    fc.constant('"'),
    fc.bigInt().map(String),
  );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { depthSize: "small" },
      numbers,
      texts.map((text) => JSON.stringify(text)),
      fc.array(tie("json"), { maxLength: 4 }).map((items) => `[ ${items.join(" ,")}]`),
      fc
        .array(fc.tuple(fc.oneof(texts, fc.constant("__proto__")), tie("json")), { maxLength: 4 })
        .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)} :${value}`).join()}}`),
    ),
  }));
  fc.assert(
    fc.property(json, (text) => {
      expect(outcome(parseExactJson, text)).toBe(outcome(byLibrary, text));
    }),
    { numRuns: 2_000 },
  );
});

it("agrees with the library on what is not JSON, for texts that nearly are", () => {
  const pieces = fc.array(
    fc.constantFrom(
      "12345678901234567890",
      "-",
      "e5",
      ".5",
      "0",
      '"',
      "\\",
      "[",
      "]",
      "{",
      "}",
      ":",
      ",",
      "a",
      " ",
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join("");
      expect(outcome(parseExactJson, text) === "not JSON").toBe(outcome(JSON.parse, text) === "not JSON");
    }),
    { numRuns: 5_000 },
  );
});
