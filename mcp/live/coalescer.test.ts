import { expect, it } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { Coalescer } from "./coalescer.ts";

function setUp() {
  const clock = manualClock();
  const notices: string[] = [];
  const coalescer = new Coalescer<string>((key) => notices.push(`${key}@${clock.nowMs()}`), 250, clock);
  return { clock, notices, coalescer };
}

it("passes the first hit on at once, and a burst as one more at the end of the period", async () => {
  const { clock, notices, coalescer } = setUp();
  for (let hit = 0; hit < 100; hit += 1) coalescer.hit("runs");
  expect(notices).toEqual(["runs@0"]);
  await clock.pass(1_000);
  expect(notices).toEqual(["runs@0", "runs@250"]);
});

it("is quiet again after a period without a hit", async () => {
  const { clock, notices, coalescer } = setUp();
  coalescer.hit("runs");
  await clock.pass(250);
  expect(clock.asleep).toBe(0);
  coalescer.hit("runs");
  expect(notices).toEqual(["runs@0", "runs@250"]);
});

it("never exceeds one notice a period under a steady stream, and never loses the last hit", async () => {
  const { clock, notices, coalescer } = setUp();
  for (let at = 0; at < 1_000; at += 10) {
    coalescer.hit("runs");
    await clock.pass(10);
  }
  await clock.pass(1_000);
  expect(notices).toEqual(["runs@0", "runs@250", "runs@500", "runs@750", "runs@1000"]);
});

it("keeps keys apart", async () => {
  const { notices, coalescer } = setUp();
  coalescer.hit("runs");
  coalescer.hit("events");
  expect(notices).toEqual(["runs@0", "events@0"]);
});

it("says nothing more once it is closed", async () => {
  const { clock, notices, coalescer } = setUp();
  coalescer.hit("runs");
  coalescer.hit("runs");
  coalescer.close();
  await clock.pass(1_000);
  coalescer.hit("runs");
  expect(notices).toEqual(["runs@0"]);
  expect(clock.asleep).toBe(0);
});
