import { describe, expect, it } from "vitest";
import { addCounts, playwrightCounts, vitestCounts } from "./test-counts.mjs";

describe("the counts of the test runners", () => {
  it("are read from vitest's report", () => {
    expect(vitestCounts({ numPassedTests: 7, numFailedTests: 2, numTotalTests: 11 })).toEqual({
      passed: 7,
      failed: 2,
    });
  });

  it("are read from Playwright's report, where a flaky test has failed", () => {
    const stats = { expected: 5, unexpected: 1, flaky: 1, skipped: 3, duration: 1 };
    expect(playwrightCounts({ stats, suites: [] })).toEqual({ passed: 5, failed: 2 });
  });

  it("are summed", () => {
    expect(addCounts({ passed: 7, failed: 2 }, { passed: 5, failed: 1 })).toEqual({ passed: 12, failed: 3 });
  });

  it.each([{}, { numPassedTests: "7", numFailedTests: 0 }, null])(
    "are refused when the report is %j",
    (report) => {
      expect(() => vitestCounts(report)).toThrow("Invalid input");
    },
  );
});
