import { expect, it } from "vitest";
import { TookTooLong, withTimeLimit } from "./time-limit.ts";

const evil = () => /^(a+)+$/.test(`${"a".repeat(64)}!`);

it("cuts off what takes too long, in the middle of a regular expression too, and hands on what is thrown", () => {
  expect(() => withTimeLimit(50, evil)).toThrow(TookTooLong);
  const own = new Error("mine");
  expect(() =>
    withTimeLimit(1_000, () => {
      throw own;
    }),
  ).toThrow(own);
});

it("begins again what the machine had no processor for, and gives up after some times", () => {
  let begun = 0;
  const starved = () => 0;
  const quickAtLast = () => {
    begun += 1;
    return begun < 3 ? evil() : "done";
  };
  expect(withTimeLimit(5, quickAtLast, starved)).toBe("done");
  begun = 0;
  const slow = () => {
    begun += 1;
    return evil();
  };
  expect(() => withTimeLimit(5, slow, starved)).toThrow("took longer than 5 ms");
  expect(begun).toBe(4);
});

it("does not begin again what had the processor and did not come to its end", () => {
  let begun = 0;
  let usedMs = 0;
  const slow = () => {
    begun += 1;
    return evil();
  };
  expect(() => withTimeLimit(20, slow, () => (usedMs += 10))).toThrow(TookTooLong);
  expect(begun).toBe(1);
});
