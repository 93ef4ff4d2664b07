import { expect, test } from "vitest";
import { StopResponse } from "../../bridge/contract/api.ts";
import { stopNote } from "./stop-note.ts";

const outcomes = StopResponse.shape.outcome.options;
const note = (outcome: StopResponse["outcome"], alive: number) =>
  stopNote({ session_id: "term_aaaaaaaa", outcome, alive });

test("each outcome has its words, and an end that was not seen is not claimed", () => {
  expect(new Set(outcomes.map((outcome) => note(outcome, 0))).size).toBe(outcomes.length);
  expect(note("not_confirmed", 0)).not.toMatch(/Stopped/);
});

test("processes that may live on are counted", () => {
  expect(note("after_kill", 1)).toMatch(/One process could not be proved gone/);
  expect(note("after_kill", 3)).toMatch(/3 processes/);
});
