import { LosslessNumber } from "lossless-json";
import { describe, expect, it } from "vitest";
import { toOutcome } from "./tool-result.ts";

const text = (words: string) => [{ type: "text" as const, text: words }];

describe("a tool's result on a screen", () => {
  it("is its structured content", () => {
    expect(toOutcome({ content: text("{}"), structuredContent: { runs: [] } })).toEqual({
      ok: true,
      data: { runs: [] },
    });
  });

  it("keeps the digits that a double cannot hold", () => {
    const words = '{"input":{"n":9223372036854775807,"small":12}}';
    const outcome = toOutcome({
      content: text(words),
      structuredContent: { input: { n: "9223372036854775807", small: 12 } },
    });
    expect(outcome).toEqual({
      ok: true,
      data: { input: { n: new LosslessNumber("9223372036854775807"), small: 12 } },
    });
  });

  it("keeps the wrapping of a bare array, and the structured content of a text that is no JSON", () => {
    const items = toOutcome({ content: text("[9223372036854775807]"), structuredContent: { items: ["9"] } });
    expect(items).toEqual({ ok: true, data: { items: [new LosslessNumber("9223372036854775807")] } });
    const words = "order 1234567890123456789 was found";
    expect(toOutcome({ content: text(words), structuredContent: { found: true } })).toEqual({
      ok: true,
      data: { found: true },
    });
  });

  it("is its text where it has no structured content", () => {
    expect(toOutcome({ content: [...text("a"), ...text("b")] })).toEqual({ ok: true, data: "ab" });
  });

  it("is the error object of a failed call", () => {
    const error = { error: "no such run", code: "not_found", retryable: false };
    expect(toOutcome({ isError: true, content: text(JSON.stringify(error)) })).toEqual({ ok: false, error });
  });

  it.each([
    ["plain words", "it broke", "it broke"],
    ["JSON of another shape", '{"a":1}', '{"a":1}'],
    ["nothing", "", "The tool failed without a word."],
  ])("stays an error when a server fails with %s", (_, words, expected) => {
    expect(toOutcome({ isError: true, content: text(words) })).toMatchObject({
      ok: false,
      error: { error: expected },
    });
  });
});
