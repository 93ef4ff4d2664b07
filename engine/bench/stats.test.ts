import { expect, it } from "vitest";
import { median, percentile, ratePerSecond, timeEach } from "./stats.ts";

it("takes the sample that a share of all does not exceed", () => {
  const samples = [5, 1, 4, 2, 3];
  expect([median(samples), percentile(samples, 0.99), percentile(samples, 0.2), median([7])]).toEqual([
    3, 5, 1, 7,
  ]);
  expect(() => median([])).toThrow("no samples");
});

it("does every piece of work once, so many at a time", async () => {
  const done: number[] = [];
  let under = 0;
  let most = 0;
  await ratePerSecond(20, 3, async (index) => {
    most = Math.max(most, (under += 1));
    await new Promise((resolve) => setImmediate(resolve));
    under -= 1;
    done.push(index);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(most).toBe(3);
  expect(await timeEach(4, async () => undefined)).toHaveLength(4);
});
