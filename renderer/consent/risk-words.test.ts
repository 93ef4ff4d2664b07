import { expect, test } from "vitest";
import { Risk } from "../../mcp/contract/tool-row.ts";
import { countdown, riskWords } from "./risk-words.ts";

test("every risk has words of its own, and only what cannot be undone is red", () => {
  const words = Risk.options.map((risk) => riskWords({ kind: "tool", risk }));
  expect(new Set(words.map(({ word }) => word)).size).toBe(words.length);
  expect(words.filter(({ tone }) => tone === "bad").map(({ word }) => word)).toEqual(["Cannot be undone"]);
});

test("raising rights says so, whatever its risk", () => {
  for (const risk of Risk.options) expect(riskWords({ kind: "rights", risk }).word).toBe("Gives more rights");
});

test("a command says where it runs, whatever its risk", () => {
  for (const risk of Risk.options)
    expect(riskWords({ kind: "command", risk }).word).toBe("Runs on your computer");
});

test.each([
  [245_000, "4:05"],
  [1, "0:01"],
  [0, "0:00"],
  [-5_000, "0:00"],
])("with %d ms left it reads %s", (leftMs, text) => {
  expect(countdown(1_000_000 + leftMs, 1_000_000)).toBe(text);
});
