import { expect, it } from "vitest";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { matchKey, parseMatch, valueAtPath } from "./match.ts";

it("tells paths from expressions", () => {
  expect(parseMatch("data.orderId")).toEqual({ grammar: "path", path: "data.orderId" });
  expect(parseMatch("data.items.0.sku-id")).toEqual({ grammar: "path", path: "data.items.0.sku-id" });
  expect(parseMatch(' data.runId == "r" ')).toEqual({ grammar: "cel", expression: 'data.runId == "r"' });
  expect(parseMatch("data.a > 1")).toEqual({ grammar: "cel", expression: "data.a > 1" });
  expect([parseMatch(undefined), parseMatch(" ")]).toEqual([{ grammar: "any" }, { grammar: "any" }]);
});

it("finds own members and list items only", () => {
  const root = { data: { list: [{ a: 1 }], text: "abc" } };
  expect(valueAtPath(root, "data.list.0.a")).toBe(1);
  for (const path of [
    "data.none",
    "data.constructor",
    "data.__proto__",
    "data.text.length",
    "data.list.length.x",
  ]) {
    expect(valueAtPath(root, path)).toBeUndefined();
  }
});

it("makes equal keys of equal values only", () => {
  const key = (text: string) => matchKey(parseExactJson(text));
  expect(key('{"a":1,"b":[true,null]}')).toBe(key('{"b":[true,null],"a":1}'));
  expect(key("[1,2]")).not.toBe(key("[2,1]"));
  expect(key('"1"')).not.toBe(key("1"));
  expect(key("9007199254740993")).not.toBe(key("9007199254740992"));
  expect(matchKey("x".repeat(1_000))).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect([matchKey(undefined), matchKey(null)]).toEqual([null, "null"]);
});
