import { expect, it } from "vitest";
import type { Run } from "../../mcp/contract/domain.ts";
import { attemptText } from "./attempt-text.ts";

const text = (status: Run["status"], attempt: number, failed: number[]) =>
  attemptText(
    { status, attempt, max_attempts: 3 },
    failed.map((number) => ({ attempt: number })),
  );

it.each<[Run["status"], number, number[], string]>([
  ["completed", 1, [], "1 of 3"],
  ["completed", 3, [1, 2], "3 of 3"],
  ["waiting", 2, [1], "2 of 3"],
  ["failed", 1, [1], "1 of 3"],
  ["paused", 3, [1, 2, 3], "3 of 3"],
  ["cancelled", 3, [1, 2, 3], "3 of 3"],
])("says of a %s run in attempt %i, of which %j failed: %s", (status, attempt, failed, expected) => {
  expect(text(status, attempt, failed)).toBe(expected);
});

it("says that a run was resumed, and how many attempts there were in all", () => {
  expect(text("completed", 1, [1, 2, 3])).toBe("1 of 3 since it was resumed, 4 in all");
  expect(text("running", 1, [1, 2, 3])).toBe("1 of 3 since it was resumed, 4 in all");
  expect(text("paused", 3, [1, 2, 3, 1, 2, 3])).toBe("3 of 3 since it was resumed, 6 in all");
  expect(text("failed", 1, [1, 2, 3, 1])).toBe("1 of 3 since it was resumed, 4 in all");
});
