import * as z from "zod/v4";
import { describe, expect, it } from "vitest";
import { ListRunsInput } from "./tools/runs.ts";
import { argumentError } from "./argument-error.ts";

const wording = (schema: z.ZodObject, value: unknown): string => {
  const { error } = schema.safeParse(value, { reportInput: true });
  if (error === undefined) throw new Error("expected the arguments to be refused");
  return argumentError("some_tool", error, schema).error;
};

const Line = z.strictObject({
  line: z.enum(["L1", "L2", "L3"]),
  count: z.number().int().min(1).max(5).optional(),
  names: z.array(z.string().min(2)).max(2).optional(),
  nested: z.strictObject({ role: z.literal("admin") }).optional(),
});

describe("arguments that do not fit", () => {
  it.each([
    [{ line: "L9" }, 'arguments.line: value must be one of "L1", "L2", "L3"'],
    [{}, 'arguments.line: value must be one of "L1", "L2", "L3"'],
    [{ line: "L1", count: 0 }, "arguments.count: must be at least 1"],
    [{ line: "L1", count: 6 }, "arguments.count: must be at most 5"],
    [{ line: "L1", count: 1.5 }, "arguments.count: must be a whole number"],
    [{ line: "L1", count: "1" }, "arguments.count: must be a number"],
    [{ line: "L1", names: ["ab", "c"] }, "arguments.names[1]: must be at least 2 characters long"],
    [{ line: "L1", names: ["ab", "cd", "ef"] }, "arguments.names: must be at most 2 entries"],
    [{ line: "L1", nested: { role: "x" } }, 'arguments.nested.role: value must be one of "admin"'],
    [
      { line: "L1", extra: 1 },
      "arguments.extra: is not an argument here; it takes line, count, names, nested",
    ],
    [[], "arguments: must be an object"],
  ])("are named with what is allowed: %o", (value, expected) => {
    expect(wording(Line, value)).toBe(expected);
  });

  it("are all named, up to a bound, and long names are cut", () => {
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`${index}`.padStart(200, "x"), 1]),
    );
    const text = wording(z.strictObject({}), many);
    expect(text).toMatch(/; and 4 more$/);
    expect(text.length).toBeLessThan(1_200);
  });

  it("tell of a time range that is the wrong way round", () => {
    expect(wording(ListRunsInput, { since: "2026-11-30T10:00:00Z", until: "2026-11-30T10:00:00Z" })).toBe(
      "arguments.until: must be after since",
    );
  });
});
