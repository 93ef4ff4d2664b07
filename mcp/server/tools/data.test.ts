import { expect, it } from "vitest";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { dataOf } from "./data.ts";

it("takes data, data_json with every digit, or an empty object", () => {
  expect(dataOf({ data: [1] })).toEqual([1]);
  expect(String((dataOf({ data_json: '{"n":12345678901234567890}' }) as { n: unknown }).n)).toBe(
    "12345678901234567890",
  );
  expect(dataOf({})).toEqual({});
});

it("says that data_json is nested too deeply, instead of failing inside", () => {
  const deep = "[".repeat(5_000) + "]".repeat(5_000);
  expect(() => dataOf({ data_json: deep })).toThrow(ToolFailure);
  expect(() => dataOf({ data_json: deep })).toThrow("arguments.data_json: is nested deeper than 100 levels");
});
