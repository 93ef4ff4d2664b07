import { expect, it } from "vitest";
import { unhurriedClock, within } from "./testing/within.ts";

it("an unhurried clock never goes faster than the time, nor back", async () => {
  const startMs = performance.now();
  const passedMs = await unhurriedClock();
  let before = 0;
  for (let look = 0; look < 20; look += 1) {
    const now = await passedMs();
    expect(now).toBeGreaterThanOrEqual(before - 1);
    expect(now).toBeLessThanOrEqual(performance.now() - startMs);
    before = now;
  }
});

it("a promise is kept when it holds in its time, and broken when it does not", async () => {
  let ms = 0;
  const clock = async () => async () => ms;
  let looks = 0;
  const holdsAtThird = () => {
    ms += 100;
    looks += 1;
    return looks === 3;
  };
  await within("the third look", 250, holdsAtThird, clock);
  expect(looks).toBe(3);
  ms = 0;
  looks = 0;
  await expect(within("the third look", 150, holdsAtThird, clock)).rejects.toThrow(
    "not within 150 ms, time of a loaded machine not counted: the third look",
  );
  expect(looks).toBe(2);
});
