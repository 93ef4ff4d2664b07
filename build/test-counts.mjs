// Reads how many tests ran from the reports of the two test runners.
import * as z from "zod/v4";

/** @typedef {{ passed: number, failed: number }} Counts */

/** @type {Counts} */
export const NOTHING_RUN = { passed: 0, failed: 0 };

const VitestReport = z.object({ numPassedTests: z.int(), numFailedTests: z.int() });
const PlaywrightReport = z.object({
  stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int() }),
});

/**
 * @param {unknown} report of vitest's json reporter
 * @returns {Counts}
 */
export function vitestCounts(report) {
  const { numPassedTests, numFailedTests } = VitestReport.parse(report);
  return { passed: numPassedTests, failed: numFailedTests };
}

/**
 * @param {unknown} report of Playwright's json reporter; a flaky test has failed once, so it counts as failed
 * @returns {Counts}
 */
export function playwrightCounts(report) {
  const { expected, unexpected, flaky } = PlaywrightReport.parse(report).stats;
  return { passed: expected, failed: unexpected + flaky };
}

/**
 * @param {Counts} a
 * @param {Counts} b
 * @returns {Counts}
 */
export function addCounts(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}
