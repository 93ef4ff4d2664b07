import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { toStructured, toText } from "./wire-json.ts";

describe("numbers that JavaScript cannot hold", () => {
  it.each([
    '{"id":9007199254740993}',
    '{"id":-123456789012345678901234567890}',
    "[1e400,12345678901234567890.5,0.12345678901234567891]",
    '{"id":9007199254740993.0}',
  ])("come back as the same text: %s", (text) => {
    expect(toText(parseExactJson(text))).toBe(text);
  });

  it("become text in structuredContent, with every digit", () => {
    const value = parseExactJson(
      '{"a":[{"id":9007199254740993}],"big":1e400,"price":0.12345678901234567891,"n":3}',
    );
    expect(toStructured({ value }).value).toEqual({
      a: [{ id: "9007199254740993" }],
      big: "1e400",
      price: 0.12345678901234568,
      n: 3,
    });
  });

  it("are left alone where they are text already", () => {
    expect(parseExactJson('{"id":"9007199254740993"}')).toEqual({ id: "9007199254740993" });
  });
});

describe("a payload of any shape", () => {
  it.each(["null", "0", '""', "[]", "[null,false]", '{"__proto__":{"x":9007199254740993}}', '{"toJSON":1}'])(
    "keeps %s",
    (text) => {
      const value = parseExactJson(text);
      expect(toText(value)).toBe(text);
      expect(JSON.stringify(toStructured({ value }).value)).toBe(
        text.replace("9007199254740993", '"9007199254740993"'),
      );
    },
  );

  it("takes the last of two equal keys, as JSON.parse does, whatever else is in the text", () => {
    expect(toText(parseExactJson('{"a":1,"a":2,"id":9007199254740993}'))).toBe(
      '{"a":2,"id":9007199254740993}',
    );
  });
});
