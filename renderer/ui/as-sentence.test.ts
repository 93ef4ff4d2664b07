import { expect, test } from "vitest";
import { asSentence } from "./as-sentence.ts";

test.each([
  [
    "the engine at http://127.0.0.1:1 cannot be reached",
    "The engine at http://127.0.0.1:1 cannot be reached",
  ],
  ["a key is needed", "A key is needed"],
  ["It has crashed.", "It has crashed."],
  ["ECONNREFUSED", "ECONNREFUSED"],
  ["ironflow_get_run is refused", "ironflow_get_run is refused"],
  ["http://127.0.0.1:1 does not answer", "http://127.0.0.1:1 does not answer"],
  ["", ""],
])("%j stands alone as %j", (problem, sentence) => {
  expect(asSentence(problem)).toBe(sentence);
});
