import { expect, it } from "vitest";
import { parseExactJson } from "../loopback/exact-json.ts";
import { bodyText } from "./body-text.ts";

it("a body is JSON", () => {
  expect(bodyText({ ok: true, absent: undefined, list: [1, undefined] })).toBe('{"ok":true,"list":[1,null]}');
});

it("a number that no double holds crosses with all its digits, told apart from what only looks like one", () => {
  const text = '{"n":9223372036854775807,"like":{"isLosslessNumber":true,"value":"1"},"small":1}';
  expect(bodyText(parseExactJson(text))).toBe(`#${text}`);
});
