import { describe, expect, it } from "vitest";
import { parseWireJson, toStructured, toText } from "./wire-json.ts";

describe("numbers that JavaScript cannot hold", () => {
  it.each([
    '{"id":9007199254740993}',
    '{"id":-123456789012345678901234567890}',
    "[1e400,12345678901234567890.5,0.12345678901234567891]",
    '{"id":9007199254740993.0}',
  ])("come back as the same text: %s", (text) => {
    expect(toText(parseWireJson(text))).toBe(text);
  });

  it("become text in structuredContent, with every digit", () => {
    const value = parseWireJson(
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
    expect(parseWireJson('{"id":"9007199254740993"}')).toEqual({ id: "9007199254740993" });
  });
});

describe("a text around such numbers", () => {
  const big = "12345678901234567890";

  it.each([
    `{"a\\\\":${big},"b":"\\"${big}","c":"\\\\\\"${big}"}`,
    `["${big}",${big},"1e400",1e400]`,
    `[-${big},${big}.5,1E+400,-1e-400]`,
    `{"${big}":${big}}`,
  ])("keeps its strings and its numbers apart: %s", (text) => {
    expect(toText(parseWireJson(text))).toBe(text);
  });

  it.each([
    `{${big}:1}`,
    `{${big}${" ".repeat(100)}:1}`,
    `[0${big}]`,
    `[${big}.]`,
    `[.${big}]`,
    `[+${big}]`,
    `[${big}e]`,
    `[1e400x]`,
    `[${big} ${big}]`,
    `"${big}`,
    `[${big}`,
    `["\\${big}]`,
  ])("is refused when it is not JSON: %s", (text) => {
    expect(() => parseWireJson(text)).toThrow(SyntaxError);
  });

  const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `row-${n}`, n, price: n / 7, ok: true }));
  const plain = JSON.stringify({ rows });

  it.each([
    ["one such number", plain.replace('"n":7,', `"n":${big},`)],
    ["nothing but such numbers", `[${Array.from({ length: 50_000 }, () => big).join()}]`],
  ])("is read within a small multiple of what JSON.parse takes: %s", (_, exact) => {
    const timed = (read: (text: string) => unknown) => {
      const times = Array.from({ length: 5 }, () => {
        const start = performance.now();
        read(exact);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    expect(timed(parseWireJson) / timed((text) => JSON.parse(text))).toBeLessThan(20);
  });
});

describe("a payload of any shape", () => {
  it.each(["null", "0", '""', "[]", "[null,false]", '{"__proto__":{"x":9007199254740993}}', '{"toJSON":1}'])(
    "keeps %s",
    (text) => {
      const value = parseWireJson(text);
      expect(toText(value)).toBe(text);
      expect(JSON.stringify(toStructured({ value }).value)).toBe(
        text.replace("9007199254740993", '"9007199254740993"'),
      );
    },
  );

  it("takes the last of two equal keys, as JSON.parse does, whatever else is in the text", () => {
    expect(toText(parseWireJson('{"a":1,"a":2,"id":9007199254740993}'))).toBe(
      '{"a":2,"id":9007199254740993}',
    );
  });
});
