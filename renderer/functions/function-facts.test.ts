import { expect, test } from "vitest";
import type { FunctionDetail } from "../../mcp/contract/domain.ts";
import { otherFacts, retryFacts } from "./function-facts.ts";

const detail = (more: Partial<FunctionDetail>): FunctionDetail => ({
  id: "fulfil-order",
  status: "active",
  version: 1,
  execution_mode: "push",
  triggers: [],
  ...more,
});
const values = (facts: readonly { name: string; value: string }[]) =>
  Object.fromEntries(facts.map(({ name, value }) => [name, value]));

test("what was not set about retries is the engine's own, never a number of ours", () => {
  expect(new Set(Object.values(values(retryFacts(detail({})))))).toEqual(new Set(["engine's default"]));
  expect(values(retryFacts(detail({ max_attempts: 3 })))["Attempts"]).toBe("3");
});

test("a retry policy reads as one sentence", () => {
  const retry = { max_attempts: 5, initial_delay_ms: 2_000, backoff_factor: 1.5, max_delay_ms: 60_000 };
  expect(values(retryFacts(detail({ retry, timeout_ms: 30_000 })))).toEqual({
    Attempts: "5",
    "Waits between": "2.00 s, times 1.5 each time, 1 min 00 s at most",
    "Time-out": "30.0 s",
  });
});

test("only what was set is among the other facts", () => {
  expect(otherFacts(detail({ secrets: [], cancel_on: [], recording: false, actor_key: "" }))).toEqual([]);
  const facts = otherFacts(
    detail({
      concurrency: { limit: 2, key: "data.customer" },
      cancel_on: [{ event: "order.cancelled", match: "data.order" }, { event: "shop.closed" }],
      secrets: ["STRIPE_KEY"],
    }),
  );
  expect(values(facts)).toEqual({
    "At once": "2 for each data.customer",
    "Cancelled by": "order.cancelled with the same data.order, shop.closed",
    Secrets: "STRIPE_KEY",
  });
});
