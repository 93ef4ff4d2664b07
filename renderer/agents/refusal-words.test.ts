import { expect, test } from "vitest";
import { ConsentOutcome } from "../../mcp/contract/errors.ts";
import { refusalWords } from "./refusal-words.ts";

test("every way a question can end without an approval has words", () => {
  for (const outcome of ConsentOutcome.exclude(["approved"]).options) {
    expect(refusalWords(outcome)).not.toBe(outcome.replaceAll("_", " "));
    expect(refusalWords(outcome)).not.toContain("_");
  }
});

test("other reasons are words already, and codes become some", () => {
  expect(refusalWords("missing permission mcp.write")).toBe("missing permission mcp.write");
  expect(refusalWords("not_found")).toBe("not found");
  expect(refusalWords("constructor")).toBe("constructor");
});
