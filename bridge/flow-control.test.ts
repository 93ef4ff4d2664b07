import { describe, expect, it } from "vitest";
import { FLOW } from "./contract/flow.ts";
import { FlowControl } from "./flow-control.ts";

const LIMITS = { holdAboveChars: 100_000, sendBelowChars: 5_000, ackEveryChars: 2_500 };

describe("flow control", () => {
  it.each([
    ["one char below the high mark", [99_999], true],
    ["exactly at it", [100_000], true],
    ["one char above it", [100_001], false],
    ["above it in two parts", [60_000, 40_001], false],
  ])("may send: %s", (_name, sent, may) => {
    const flow = new FlowControl(LIMITS);
    for (const chars of sent) flow.sent(chars);
    expect(flow.maySend).toBe(may);
  });

  it.each([
    ["one char above the low mark", 5_001, false],
    ["exactly at it", 5_000, false],
    ["one char below it", 4_999, true],
  ])("goes on after it was held: %s", (_name, left, may) => {
    const flow = new FlowControl(LIMITS);
    flow.sent(100_001);
    flow.acknowledged(100_001 - left);
    expect(flow.unacknowledgedChars).toBe(left);
    expect(flow.maySend).toBe(may);
  });

  it("stays open between the marks when it was not held, and held when it was", () => {
    const open = new FlowControl(LIMITS);
    open.sent(50_000);
    open.acknowledged(10_000);
    expect(open.maySend).toBe(true);
    const held = new FlowControl(LIMITS);
    held.sent(100_001);
    held.acknowledged(50_001);
    expect(held.maySend).toBe(false);
  });

  it("ignores acknowledgements of more than was sent", () => {
    const flow = new FlowControl(LIMITS);
    flow.sent(10);
    flow.acknowledged(1_000_000);
    expect(flow.unacknowledgedChars).toBe(0);
    flow.sent(100_001);
    expect(flow.maySend).toBe(false);
  });

  it("[B4] never ends up held by a tab that acknowledges every so many chars, whatever the pieces are", () => {
    for (let piece = 1; piece <= 40_000; piece += 611) {
      const flow = new FlowControl();
      let parsed = 0;
      let total = 0;
      while (total < 2_000_000) {
        while (flow.maySend) {
          flow.sent(piece);
          total += piece;
          parsed += piece;
        }
        while (parsed >= FLOW.ackEveryChars) {
          flow.acknowledged(FLOW.ackEveryChars);
          parsed -= FLOW.ackEveryChars;
        }
        expect(flow.maySend).toBe(true);
      }
    }
  });

  it.each([
    [
      "acknowledges as rarely as it must be below",
      { holdAboveChars: 100, sendBelowChars: 10, ackEveryChars: 10 },
    ],
    ["acknowledges more rarely", { holdAboveChars: 100, sendBelowChars: 10, ackEveryChars: 11 }],
    ["never acknowledges", { holdAboveChars: 100, sendBelowChars: 10, ackEveryChars: 0 }],
    ["goes on above where it holds", { holdAboveChars: 9, sendBelowChars: 10, ackEveryChars: 5 }],
  ])("refuses limits that could hold for ever: a tab that %s", (_name, limits) => {
    expect(() => new FlowControl(limits)).toThrow(RangeError);
  });

  it("takes limits at the very edge", () => {
    expect(new FlowControl({ holdAboveChars: 10, sendBelowChars: 10, ackEveryChars: 9 }).maySend).toBe(true);
  });
});
