import { expect, test } from "vitest";
import { ConsentOutcome } from "../../mcp/contract/errors.ts";
import { outcomeOf } from "./outcome.ts";

const notDone = (reason: string | undefined) =>
  outcomeOf({
    phase: "not_done",
    what: "Delete the run",
    error: { error: "It is held.", code: "failed_precondition", retryable: false, ...(reason && { reason }) },
  });

test("what a person did not approve is told apart from a failure, and each way has its words", () => {
  const ways = ConsentOutcome.options.filter((outcome) => outcome !== "approved").map(notDone);
  expect(new Set(ways.map(({ title }) => title)).size).toBe(ways.length);
  for (const way of ways) expect(way).toMatchObject({ tone: "idle", detail: "Nothing was changed." });
});

test("a failure says what was tried, why it failed and its code", () => {
  expect(notDone(undefined)).toEqual({
    tone: "bad",
    title: "Delete the run: not done.",
    detail: "It is held. (failed_precondition)",
  });
});

test("an approved action that then failed is a failure", () => {
  expect(notDone("approved").tone).toBe("bad");
});
