import { expect, test } from "vitest";
import type { Breaker } from "../../mcp/contract/domain.ts";
import { holdingBack, worstFirst } from "./breakers-slice.ts";

const breaker = (key: string, state: string): Breaker => ({
  key,
  function_id: key,
  endpoint: "http://127.0.0.1:1/",
  state,
  consecutive_fails: 0,
});

test("open breakers come first, closed ones last, equals by name", () => {
  const list = [
    breaker("b", "closed"),
    breaker("a", "closed"),
    breaker("z", "open"),
    breaker("y", "half-open"),
    breaker("x", "jammed"),
  ];
  expect(worstFirst(list).map(({ key }) => key)).toEqual(["z", "y", "x", "a", "b"]);
  expect(holdingBack(list)).toBe(3);
});
