import { expect, it } from "vitest";
import { compileExpression, ExpressionError } from "./expression.ts";

const test = (text: string, data: unknown) => compileExpression(text, "f").test({ data });

it.each([
  ["data.total > 100", { total: 150 }, true],
  ["data.total > 100", { total: 50.5 }, false],
  ["data.kind == 'a' && has(data.x)", { kind: "a" }, false],
  ["data.items.exists(i, i.sku == 'x')", { items: [{ sku: "x" }] }, true],
  ["data.name.startsWith('A')", { name: "Ada" }, true],
])("%s on %o: %s", (text, data, expected) => {
  expect(test(text, data)).toBe(expected);
});

it.each([
  ["data.a.b == 1", {}],
  ["data.total", { total: 1 }],
  ["data.constructor != null", {}],
  ["data.items.all(i, i.ok)", { items: null }],
])("throws when %s cannot be answered on %o", (text, data) => {
  expect(() => test(text, data)).toThrow(ExpressionError);
});

it.each([
  ["data.x ==", /^f: /],
  ["", /^f: /],
  ["x".repeat(1_025), /longer than 1024/],
  [Array(300).fill("true").join(" && "), /^f: /],
  ["data.s.matches('(a+)+$')", /matches is not available/],
  ["data.a.all(x, data.b.all(y, x == y))", /all inside another/],
  ["data.a.map(x, data.b.filter(y, y)).size() > 0", /filter inside another/],
])("refuses %s", (text, message) => {
  expect(() => compileExpression(text, "f")).toThrow(message);
});
