import { expect, it } from "vitest";
import { TookTooLong, withTimeLimit } from "./time-limit.ts";

const evil = () => /^(a+)+$/.test(`${"a".repeat(64)}!`);

it("cuts off what takes too long, in the middle of a regular expression too, and hands on what is thrown", () => {
  expect(() => withTimeLimit(50, evil)).toThrow(TookTooLong);
  const own = new Error("mine");
  expect(() =>
    withTimeLimit(10_000, () => {
      throw own;
    }),
  ).toThrow(own);
});

it("begins again what the machine had no processor for, and gives up after some times", () => {
  // The meter is read before and after each try.
  let looks = 0;
  const starved = () => {
    looks += 1;
    return 0;
  };
  expect(withTimeLimit(100, () => (looks < 5 ? evil() : "done"), starved)).toBe("done");
  looks = 0;
  expect(() => withTimeLimit(5, evil, starved)).toThrow("took longer than 5 ms");
  expect(looks).toBe(7);
});

it("does not begin again what had the processor and did not come to its end", () => {
  let looks = 0;
  const busy = () => {
    looks += 1;
    return looks * 10;
  };
  expect(() => withTimeLimit(20, evil, busy)).toThrow(TookTooLong);
  expect(looks).toBe(2);
});
