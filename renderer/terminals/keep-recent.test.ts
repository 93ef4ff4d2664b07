import { expect, test } from "vitest";
import { keepRecent, letGo, MOST_ATTACHED, MOST_HIDDEN_LINES } from "./keep-recent.ts";

test("the open tab is first, the one not looked at the longest is let go", () => {
  let recent: readonly string[] = [];
  for (let tab = 0; tab <= MOST_ATTACHED; tab += 1) recent = keepRecent(recent, `t${tab}`);
  expect(recent).toHaveLength(MOST_ATTACHED);
  expect(recent[0]).toBe(`t${MOST_ATTACHED}`);
  expect(recent).not.toContain("t0");
  expect(keepRecent(recent, "t3")[0]).toBe("t3");
});

test("nothing changes while the same tab is open", () => {
  const recent = keepRecent([], "a");
  expect(keepRecent(recent, "a")).toBe(recent);
  expect(keepRecent(recent, "")).toBe(recent);
});

test("[B4] hidden tabs hold a bounded number of lines, and never cost the one that was looked at last", () => {
  const recent = ["open", "beside", "a", "b", "c", "d"];
  const shown = new Set(["open", "beside"]);
  const small = new Map(["a", "b", "c", "d"].map((id) => [id, MOST_HIDDEN_LINES / 4]));
  expect(letGo(recent, shown, small)).toBe(recent);
  expect(letGo(recent, shown, new Map([...small, ["a", MOST_HIDDEN_LINES * 2]]))).toEqual([
    "open",
    "beside",
    "a",
  ]);
  expect(letGo(recent, shown, new Map([...small, ["c", MOST_HIDDEN_LINES / 2 + 1]]))).toEqual([
    "open",
    "beside",
    "a",
    "b",
  ]);
});
