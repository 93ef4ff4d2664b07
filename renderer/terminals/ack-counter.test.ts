import { expect, test } from "vitest";
import { FLOW } from "../../bridge/contract/flow.ts";
import { createAckCounter } from "./ack-counter.ts";

test("nothing is acknowledged below the mark, everything so far at it", () => {
  const parsed = createAckCounter(10);
  expect([parsed(9), parsed(1), parsed(25), parsed(0)]).toEqual([0, 10, 25, 0]);
});

test("what stays unacknowledged can never hold the sender back", () => {
  const parsed = createAckCounter();
  let acknowledged = 0;
  const sent = 1_234_567;
  for (let left = sent; left > 0; left -= 97) acknowledged += parsed(Math.min(97, left));
  expect(sent - acknowledged).toBeLessThan(FLOW.sendBelowChars);
});
