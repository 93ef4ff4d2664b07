import { expect, it } from "vitest";
import { LOOK_LATE_MS, LOOK_SOON_MS, LookTimes } from "./look-times.ts";

it("[B2] a terminal that rests is looked at ever more seldom, one in which something happened at once", () => {
  const times = new LookTimes();
  const gaps: number[] = [];
  let nowMs = 1_000;
  for (let look = 0; look < 6; look += 1) {
    const beganMs = nowMs;
    while (!times.isDue(nowMs)) nowMs += 100;
    gaps.push(nowMs - beganMs);
    times.looked(nowMs);
  }
  expect(gaps).toEqual([0, LOOK_SOON_MS, 2 * LOOK_SOON_MS, 4 * LOOK_SOON_MS, LOOK_LATE_MS, LOOK_LATE_MS]);
  expect(times.isResting).toBe(true);
  times.happened();
  expect(times.isResting).toBe(false);
  expect(times.isDue(nowMs)).toBe(true);
  times.looked(nowMs);
  expect(times.isDue(nowMs + LOOK_SOON_MS)).toBe(true);
});
