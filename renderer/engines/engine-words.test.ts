import { expect, test } from "vitest";
import type { EngineInfo } from "../../electron/contract/engines.ts";
import { rightsText, testText } from "./engine-words.ts";

const engine = (person_may_write: boolean, agents_may_write: boolean): EngineInfo => ({
  id: "a",
  name: "a",
  kind: "remote",
  url: "https://engine.example",
  key: "none",
  shown: false,
  saved: true,
  person_may_write,
  agents_may_write,
});

test("an engine that the person may not write to always reads read-only", () => {
  for (const agents of [true, false]) {
    expect(rightsText(engine(false, agents))).toContain("read-only");
    expect(rightsText(engine(true, agents))).not.toContain("read-only");
  }
});

test("a test says what answered, with its version and the reason", () => {
  const tested = (state: "connected" | "unauthorized", rest: object) =>
    testText({ phase: "tested", test: { state, ms: 1_234, ...rest } }, "kept");
  expect(tested("connected", { engine_version: "0.24.0" })).toEqual({
    good: true,
    text: "It answers. Version 0.24.0. Took 1.2 s.",
  });
  expect(tested("unauthorized", { problem: "invalid key" })).toEqual({
    good: false,
    text: "It answers, and refuses the key. Invalid key. Took 1.2 s.",
  });
  expect(testText({ phase: "failed", problem: "gone" }, "none")).toEqual({ good: false, text: "gone" });
});

test("an engine that got no key is not said to refuse one", () => {
  const found = {
    state: "unauthorized",
    ms: 20,
    problem: "the engine wants an API key, and none is set",
  } as const;
  for (const key of ["none", "needed"] as const) {
    expect(testText({ phase: "tested", test: found }, key).text).toBe(
      "It answers, and wants an API key. Took 0.0 s.",
    );
  }
});
