import { expect, test } from "vitest";
import { verbsOf } from "./run-verbs.ts";

test("a run that is not over can be cancelled and not deleted", () => {
  for (const status of ["running", "waiting", "waiting_for_capacity", "paused"]) {
    expect(verbsOf(status)).toContain("cancel");
    expect(verbsOf(status)).not.toContain("delete");
  }
});

test("a run that is over can be deleted and not cancelled; only a failed one can go on", () => {
  for (const status of ["completed", "cancelled", "failed"]) {
    expect(verbsOf(status)).toContain("delete");
    expect(verbsOf(status)).not.toContain("cancel");
    expect(verbsOf(status).includes("resume")).toBe(status === "failed");
  }
});

test("a paused run can go on, and an unknown state offers no deletion", () => {
  expect(verbsOf("paused")).toContain("resume");
  expect(verbsOf("hibernating")).toEqual(["cancel"]);
});
