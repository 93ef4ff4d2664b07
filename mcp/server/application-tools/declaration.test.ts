import { describe, expect, it } from "vitest";
import { applicationArgumentError } from "../../json-schema/argument-problems.ts";
import { readDeclaration, type Declaration } from "./declaration.ts";

const declare = (schema: unknown, name = "shop.refund"): Declaration =>
  readDeclaration({
    name,
    description: "d",
    inputSchemaJson: typeof schema === "string" ? schema : JSON.stringify(schema),
    timeoutMs: undefined,
  });

const wording = (schema: unknown, args: unknown): string => {
  const problems = declare(schema).check(args);
  return problems.length === 0 ? "" : applicationArgumentError("t", problems).error;
};

const LINE = {
  type: "object",
  properties: {
    line: { enum: ["L1", "L2", "L3"] },
    count: { type: "integer", minimum: 1 },
    nested: { type: "array", items: { type: "object", required: ["a/b"] } },
  },
  required: ["line"],
  additionalProperties: false,
};

describe("a declaration is refused with the reason (rule 114)", () => {
  it.each([
    ["not json", "is not JSON"],
    ["[]", "is not a JSON object"],
    [{ type: "string" }, `root has type "string", not "object"`],
    [{ type: ["object", "null"] }, "root has type"],
    [{ type: "object", properties: { a: { type: "nonsense" } } }, "is not valid"],
    [
      { type: "object", properties: { a: { $ref: "http://evil.example/s" } } },
      "refers to http://evil.example/s",
    ],
    [{ type: "object", allOf: [{ $ref: "other.json#/x" }] }, "refers to other.json#/x"],
    [{ $schema: "http://json-schema.org/draft-03/schema", type: "object" }, "which is not known here"],
    [`${'{"a":'.repeat(100)}1${"}".repeat(100)}`, "nested deeper"],
    [`{"description":"${"x".repeat(70_000)}"}`, "is longer than"],
  ])("%j", (schema, reason) => {
    expect(() => declare(schema)).toThrow(reason);
  });

  it("for an illegal name", () => {
    expect(() => declare({}, "a b")).toThrow("the name may have");
  });
});

describe("a declaration is taken", () => {
  it.each([
    "",
    "{}",
    { properties: { a: { type: "string" } } },
    { type: "object", $defs: { a: { type: "string" } }, properties: { b: { $ref: "#/$defs/a" } } },
    { type: "object", properties: { url: { default: { $ref: "http://data.example" } } } },
    { type: "object", properties: { $ref: { type: "string" } } },
    { $id: "http://x.example/same", type: "object" },
    { $id: "http://x.example/same", type: "object" },
  ])("%j", (schema) => {
    expect(declare(schema).inputSchema.type).toBe("object");
  });

  it("in the dialect that the schema names, 2020-12 otherwise (rule 116)", () => {
    const tuple = { properties: { t: { items: [{ type: "number" }], additionalItems: false } } };
    const draft07 = { $schema: "http://json-schema.org/draft-07/schema#", ...tuple };
    expect(wording(draft07, { t: [1, 2] })).not.toBe("");
    const prefix = { properties: { t: { prefixItems: [{ type: "number" }], items: false } } };
    expect(wording(prefix, { t: [1, 2] })).not.toBe("");
    expect(wording(prefix, { t: [1] })).toBe("");
  });
});

describe("arguments that do not fit are named (rule 115)", () => {
  it.each([
    [{ line: "L9" }, 'arguments.line: value must be one of "L1", "L2", "L3"'],
    [{}, "arguments.line: is required"],
    [{ line: "L1", extra: 1 }, "arguments.extra: is not an argument here"],
    [{ line: "L1", count: "1" }, "arguments.count: must be an integer"],
    [{ line: "L1", count: 0 }, "arguments.count: must be >= 1"],
    [{ line: "L1", nested: [{}] }, "arguments.nested[0].a/b: is required"],
    [[], "arguments: must be an object"],
  ])("%j", (args, expected) => {
    expect(wording(LINE, args)).toBe(expected);
  });

  it("and one that cannot be checked in time is refused, instead of stopping everything", () => {
    const slow = { properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    expect(wording(slow, { a: `${"a".repeat(40)}!` })).toMatch(/took longer than/);
  });
});
