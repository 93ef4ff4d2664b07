import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeJson, JsonText, readJson, toJsonText } from "./json-text.ts";

it.each([
  '{"__proto__":{"a":1},"n":12345678901234567890}',
  '{"__proto__":12345678901234567890}',
  '{"a":[{"__proto__":[],"n":9007199254740993}]}',
  '{"n":12345678901234567890}',
  '{"n":0.1234567890123456789}',
  '{"n":1e400}',
  "[9007199254740993,-9007199254740993]",
])("gives %s back digit by digit", (text) => {
  expect(toJsonText(readJson(text)).text).toBe(text);
});

it("gives every JSON value back as JSON.parse would read it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(toJsonText(readJson(text)).value()).toEqual(JSON.parse(text));
    }),
  );
});

it("keeps the last of doubled keys, as JSON.parse does, also beside a long number", () => {
  expect(toJsonText(readJson('{"a":1,"a":2,"n":12345678901234567890}')).text).toBe(
    '{"a":2,"n":12345678901234567890}',
  );
});

it.each([
  '{"__proto__":{"polluted":1},"n":12345678901234567890}',
  '{"\\u005f_proto__":{"polluted":1},"n":12345678901234567890}',
])("takes a member named __proto__ for a member like any other: %s", (text) => {
  const value = readJson(text) as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(["__proto__", "n"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

it("writes stored text verbatim inside answers, and leaves undefined members out", () => {
  const answer = {
    id: "x",
    input: new JsonText('{"n":1.0}'),
    none: undefined,
    list: [new JsonText("2.50"), null],
  };
  expect(encodeJson(answer)).toBe('{"id":"x","input":{"n":1.0},"list":[2.50,null]}');
});
