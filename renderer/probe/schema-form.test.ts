import { describe, expect, it } from "vitest";
import { argumentsOf, argumentsOfJson, fieldsOf } from "./schema-form.ts";

const SCHEMA = {
  type: "object",
  properties: {
    run_id: { type: "string", description: "Which run." },
    limit: { type: "integer" },
    confirm: { type: "boolean" },
    status: { type: "string", enum: ["failed", "completed"] },
  },
  required: ["run_id"],
};

describe("a form from an input schema", () => {
  it("has a field for each simple argument, and says which must be there", () => {
    expect(fieldsOf(SCHEMA)?.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ["run_id", "text", true],
      ["limit", "number", false],
      ["confirm", "boolean", false],
      ["status", "choice", false],
    ]);
    expect(fieldsOf({ type: "object" })).toEqual([]);
  });

  it.each([
    { type: "object", properties: { data: {} } },
    { type: "object", properties: { data: { type: "object" } } },
    { type: "object", properties: { data: true } },
    { type: "object", anyOf: [{ required: ["a"] }] },
    "nonsense",
  ])("is none where it could not say everything: %j", (schema) => {
    expect(fieldsOf(schema)).toBeNull();
  });

  it("leaves out what was left empty, and gives each value its type", () => {
    const fields = fieldsOf(SCHEMA) ?? [];
    const filled = { run_id: "run_1", limit: "5", confirm: "false", status: "" };
    expect(argumentsOf(fields, filled)).toEqual({
      ok: true,
      value: { run_id: "run_1", limit: 5, confirm: false },
    });
    expect(argumentsOf(fields, { limit: "many" })).toEqual({
      ok: false,
      problem: "limit must be a number",
    });
  });

  it("may be JSON instead, which must be an object", () => {
    expect(argumentsOfJson(' {"a":[1]} ')).toEqual({ ok: true, value: { a: [1] } });
    expect(argumentsOfJson("")).toEqual({ ok: true, value: {} });
    for (const text of ["[]", "null", "1", "{"]) expect(argumentsOfJson(text).ok).toBe(false);
  });
});
