import { expect, it } from "vitest";
import { compileExpression, ExpressionError } from "./expression.ts";
import { MAX_EVENT_STEPS, MAX_EXPRESSION_STEPS } from "./expression-cost.ts";

const budget = () => ({ left: MAX_EVENT_STEPS });
const test = (text: string, data: unknown) => compileExpression(text, "f").test({ data }, budget());

it.each([
  ["data.total > 100", { total: 150 }, true],
  ["data.total > 100", { total: 50.5 }, false],
  ["data.kind == 'a' && has(data.x)", { kind: "a" }, false],
  ["data.items.exists(i, i.sku == 'x')", { items: [{ sku: "x" }] }, true],
  ["data.name.startsWith('A')", { name: "Ada" }, true],
  ["data.a.exists(x, data.b.exists(y, x == y))", { a: [1, 2], b: [2, 3] }, true],
  ["data.a.map(x, x * 2.0).filter(x, x > 2.0).size() == 1", { a: [1, 2] }, true],
  ["data.items.exists_one(i, i.sku in ['a', 'b'])", { items: [{ sku: "a" }, { sku: "c" }] }, true],
  ["duration(data.d) > duration('1m')", { d: "1h30m" }, true],
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
])("refuses %s", (text, message) => {
  expect(() => compileExpression(text, "f")).toThrow(message);
});

const many = Array.from({ length: 20_000 }, (_, index) => index);
const long = "a".repeat(200_000);

it.each<[string, unknown]>([
  ["data.a.all(x, data.a.all(y, x == y || true))", { a: many }],
  ["data.a.all(x, data.a.all(y, data.a.all(z, x == z || true)))", { a: many }],
  ["data.a.all(x, -1.0 in data.a || true)", { a: many }],
  ["data.a.exists(x, data.a == data.b && false)", { a: many, b: [...many] }],
  ["data.a.map(x, data.a) == data.a.map(x, data.a)", { a: many }],
  ["data.a.all(x, data.s.contains('b') || true)", { a: many, s: long }],
  ["data.s.contains(data.t)", { s: long, t: `b${"a".repeat(60_000)}` }],
  ["data.a.map(x, data.s).join('') != ''", { a: many, s: long }],
  ["data.a.all(x, data.s.lowerAscii() != '')", { a: many, s: long }],
  ["data.a.all(x, timestamp(data.t).getHours('Europe/Berlin') >= 0)", { a: many, t: "2026-11-30T00:00:00Z" }],
  [
    "cel.bind(b, data.a + data.a, cel.bind(c, b + b, cel.bind(d, c + c, cel.bind(e, d + d, cel.bind(f, e + e, (f + f).size() > 0)))))",
    { a: many },
  ],
])("stops %s after so many steps", (text, data) => {
  const left = budget();
  expect(() => compileExpression(text, "f").test({ data }, left)).toThrow(/too many steps/);
  expect(left.left).toBe(MAX_EVENT_STEPS - MAX_EXPRESSION_STEPS);
});

it("does not read a text that is too long for a duration", () => {
  expect(() => test("duration(data.s) > duration('1s')", { s: "1".repeat(10_000) })).toThrow(
    /too long for a duration/,
  );
});

it("stops when the expressions before have left nothing of the event's steps", () => {
  const left = { left: 15 };
  expect(compileExpression("data.a == 1.0", "f").test({ data: { a: 1 } }, left)).toBe(true);
  expect(() => compileExpression("data.a == 1.0", "f").test({ data: { a: 1 } }, left)).toThrow(
    ExpressionError,
  );
  expect(left.left).toBe(0);
});
