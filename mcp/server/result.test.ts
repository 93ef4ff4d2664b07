import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { toolByName, type ToolName } from "../contract/tools.ts";
import type { ToolRow } from "../contract/tool-row.ts";
import { RESULT_MAX_BYTES, failureResult, successResult } from "./result.ts";

const rowOf = (name: ToolName): ToolRow => {
  const row = toolByName(name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
};

const textOf = (result: { content: unknown }) => (result.content as { text: string }[])[0]?.text ?? "";

describe("an answer", () => {
  it("is the same JSON as text and as structuredContent", () => {
    const value = { items: [], total: 0, limit: 50, offset: 0 };
    const result = successResult(rowOf("ironflow_dead_letter_list"), value);
    expect(result.structuredContent).toEqual(value);
    expect(textOf(result)).toBe(JSON.stringify(value));
  });

  it("of a bare array is the array as text, and wrapped in structuredContent only", () => {
    const result = successResult(rowOf("ironflow_circuit_breaker_list"), { items: [{ key: "a" }] });
    expect(textOf(result)).toBe('[{"key":"a"}]');
    expect(result.structuredContent).toEqual({ items: [{ key: "a" }] });
  });

  it("has every digit in its text, and text for them in structuredContent", () => {
    const result = successResult(rowOf("ironflow_get_run"), {
      id: "r",
      input: parseExactJson("9007199254740993"),
    });
    expect(textOf(result)).toBe('{"id":"r","input":9007199254740993}');
    expect(result.structuredContent).toEqual({ id: "r", input: "9007199254740993" });
  });
});

describe("an answer that is too large", () => {
  const big = "x".repeat(RESULT_MAX_BYTES);

  it("is given without its largest payloads, which say so and how large they are", () => {
    const result = successResult(rowOf("ironflow_get_run"), {
      id: "r",
      input: { small: 1 },
      output: { big },
    });
    const value = result.structuredContent as { input: unknown; output: { $omitted: { bytes: number } } };
    expect(value.input).toEqual({ small: 1 });
    expect(value.output.$omitted.bytes).toBe(RESULT_MAX_BYTES + 10);
    expect(JSON.parse(textOf(result))).toEqual(value);
  });

  it("loses no more payloads than it has to, also in lists", () => {
    const half = "y".repeat(RESULT_MAX_BYTES / 2);
    const steps = [
      { id: "a", output: half },
      { id: "b", output: big },
      { id: "c", output: "z" },
    ];
    const { structuredContent } = successResult(rowOf("ironflow_get_run_steps"), { steps, count: 3 });
    expect(structuredContent).toMatchObject({
      steps: [{ output: half }, { output: { $omitted: { bytes: RESULT_MAX_BYTES + 2 } } }, { output: "z" }],
    });
    expect(steps[1]?.output).toBe(big);
  });

  it("is an error that says what to do when the payloads are not to blame", () => {
    const result = successResult(rowOf("ironflow_get_run"), { id: big });
    expect(result.isError).toBe(true);
    expect(JSON.parse(textOf(result))).toMatchObject({ code: "resource_exhausted", retryable: false });
  });

  it("fits at exactly the limit", () => {
    const id = "x".repeat(RESULT_MAX_BYTES - '{"id":""}'.length);
    expect(successResult(rowOf("ironflow_get_run"), { id }).isError).toBeUndefined();
    expect(successResult(rowOf("ironflow_get_run"), { id: `${id}x` }).isError).toBe(true);
  });
});

it("writes a failure as one JSON object", () => {
  const error = { error: "no", code: "not_found", retryable: false };
  expect(failureResult(error)).toEqual({
    isError: true,
    content: [{ type: "text", text: JSON.stringify(error) }],
  });
});
