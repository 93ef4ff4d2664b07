import { expect, test } from "vitest";
import { detailLine, inLine, orderedFields } from "./detail-text.ts";

const QUESTION = {
  question_id: "0b3c",
  call_id: "a55f",
  tool: "ironflow_delete_run",
  digest: "9f86",
};

test("a row about a question begins with the tool that it was about, and ends in its ids", () => {
  expect(detailLine(QUESTION)).toBe("ironflow_delete_run · question id: 0b3c · digest: 9f86");
});

test("the tool is not said again where a row has more to tell", () => {
  expect(detailLine({ call_id: "a55f", tool: "ironflow_get_run", reason: "wrong arguments" })).toBe(
    "reason: wrong arguments",
  );
});

test("a row with an id of something else has that id last", () => {
  expect(detailLine({ run_id: "run_1", outcome: "ok", ms: 8 })).toBe("outcome: ok · ms: 8 · run id: run_1");
});

test("a row that holds nothing has an empty line", () => {
  expect(detailLine({})).toBe("");
  expect(detailLine({ call_id: "a55f" })).toBe("");
  expect(detailLine({ call_id: "a55f", tool: "ironflow_get_run" })).toBe("ironflow_get_run");
});

test("no field is lost where all are shown", () => {
  expect(inLine(QUESTION)).toBe(
    "tool: ironflow_delete_run · question id: 0b3c · call id: a55f · digest: 9f86",
  );
  expect(orderedFields({ allowed: true })).toEqual([["allowed", "true"]]);
});
