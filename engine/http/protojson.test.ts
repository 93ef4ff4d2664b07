import { expect, it } from "vitest";
import { encodeJson, JsonText } from "../json/json-text.ts";
import { fromProtojson, toProtojson, twin } from "./protojson.ts";

it("takes snake_case and camelCase, and null as absent", () => {
  const message = {
    function_id: "f",
    fromStep: null,
    retry: { max_attempts: 2 },
    cancel_on: [{ event: "e", match: null }],
  };
  expect(fromProtojson(message, new Set())).toEqual({
    functionId: "f",
    retry: { maxAttempts: 2 },
    cancelOn: [{ event: "e" }],
  });
});

it("leaves a caller's own JSON alone, and keeps null in a Value", () => {
  const opaque = new Set(["data", "dataValue", "metadata"]);
  const message = { data: { snake_key: null }, data_value: null, metadata: { a_b: 1 } };
  expect(fromProtojson(message, opaque)).toEqual({
    data: { snake_key: null },
    dataValue: null,
    metadata: { a_b: 1 },
  });
});

it("cannot be used to change an object's prototype", () => {
  const message = fromProtojson(JSON.parse('{"__proto__":{"a":1}}'), new Set()) as object;
  expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
  expect(Object.keys(message)).toEqual(["__proto__"]);
});

it("leaves zero values out, also inside messages, but never inside payloads", () => {
  const message = {
    id: "x",
    attempt: 0,
    ended: null,
    flag: false,
    text: "",
    list: [],
    nested: { a: 0, b: 1 },
    rows: [{ zero: 0, one: 1 }],
    input: new JsonText('{"n":0,"s":""}'),
    outputValue: new JsonText("0"),
  };
  expect(encodeJson(toProtojson(message))).toBe(
    '{"id":"x","nested":{"b":1},"rows":[{"one":1}],"input":{"n":0,"s":""},"outputValue":0}',
  );
});

it("puts objects into the Struct and everything else into its twin", () => {
  expect(encodeJson(twin("input", '{"a":1}'))).toBe('{"input":{"a":1}}');
  expect(encodeJson(twin("input", "[1]"))).toBe('{"inputValue":[1]}');
  expect(encodeJson(twin("input", "null"))).toBe('{"inputValue":null}');
  expect(twin("input", null)).toEqual({});
});
