import { describe, expect, test } from "vitest";
import { handClock, settle } from "./hand-clock.test-help.ts";
import { RETRY_MS, watch } from "./watch.ts";

const never = () => undefined;

const counted = (count: () => void) => async () => {
  count();
  return true;
};

function gate() {
  const opens: (() => void)[] = [];
  return { wait: () => new Promise<void>((done) => opens.push(done)), open: () => opens.shift()?.() };
}

describe("watch", () => {
  test("reads at once and then only when asked", async () => {
    const clock = handClock();
    let reads = 0;
    const watching = watch({ read: counted(() => (reads += 1)), clock, minGapMs: 100, everyMs: never });
    await settle();
    expect(reads).toBe(1);
    await clock.advance(10_000);
    expect(reads).toBe(1);
    watching.refresh();
    await clock.advance(0);
    expect(reads).toBe(2);
  });

  test("many changes during one read lead to exactly one more", async () => {
    const clock = handClock();
    const door = gate();
    let reads = 0;
    const watching = watch({
      read: async () => {
        reads += 1;
        await door.wait();
        return true;
      },
      clock,
      minGapMs: 100,
      everyMs: never,
    });
    watching.refresh();
    watching.refresh();
    watching.refresh();
    expect(reads).toBe(1);
    door.open();
    await settle();
    await clock.advance(99);
    expect(reads).toBe(1);
    await clock.advance(1);
    expect(reads).toBe(2);
    door.open();
    await settle();
    await clock.advance(1_000);
    expect(reads).toBe(2);
  });

  test("where no change is announced it reads again by itself", async () => {
    const clock = handClock();
    let reads = 0;
    watch({ read: counted(() => (reads += 1)), clock, minGapMs: 100, everyMs: () => 2_000 });
    await settle();
    await clock.advance(1_999);
    expect(reads).toBe(1);
    await clock.advance(1);
    expect(reads).toBe(2);
  });

  test("a read that failed is tried again by itself", async () => {
    const clock = handClock();
    let reads = 0;
    watch({ read: async () => (reads += 1) > 1, clock, minGapMs: 100, everyMs: never });
    await settle();
    await clock.advance(RETRY_MS);
    expect(reads).toBe(2);
    await clock.advance(10 * RETRY_MS);
    expect(reads).toBe(2);
  });

  test("after stop nothing starts and the running read is told", async () => {
    const clock = handClock();
    const door = gate();
    const seen: boolean[] = [];
    const watching = watch({
      read: async (stillWanted) => {
        await door.wait();
        seen.push(stillWanted());
        return true;
      },
      clock,
      minGapMs: 0,
      everyMs: () => 10,
    });
    watching.stop();
    watching.refresh();
    door.open();
    await settle();
    await clock.advance(1_000);
    expect(seen).toEqual([false]);
    expect(clock.waiting).toBe(0);
  });
});
