import { expect, test } from "vitest";
import { keepRecent, MOST_ATTACHED } from "./keep-recent.ts";

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
