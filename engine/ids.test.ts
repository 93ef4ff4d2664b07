import { expect, it } from "vitest";
import { createIds } from "./ids.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { EventId, RunId } from "./contract/ids.ts";

it("makes ids that sort by creation, also within a millisecond and when the clock goes back", () => {
  const clock = createFakeClock();
  const ids = createIds(clock, (size) => new Uint8Array(size).fill(0xff));
  const made: string[] = [];
  for (let n = 0; n < 300; n += 1) {
    made.push(ids.next("run"));
    if (n % 100 === 50) clock.jump(n % 200 === 50 ? -10_000 : 5);
  }
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(300);
});

it("makes ids of the contract's form", () => {
  const ids = createIds(createFakeClock());
  expect(EventId.safeParse(ids.next("evt")).success).toBe(true);
  expect(RunId.safeParse(ids.next("run")).success).toBe(true);
  expect(ids.next("run")).toMatch(/^run_[0-9a-z]{26}$/);
});
