import { expect, test } from "vitest";
import type { AgentActivity } from "../../electron/contract/ipc.ts";
import { applyActivity, KEPT_CALLS } from "./apply-activity.ts";

const call = (
  call_id: string,
  outcome: AgentActivity["outcome"],
  at = "2026-01-01T00:00:00Z",
): AgentActivity => ({
  call_id,
  at,
  caller: "agent",
  tool: "ironflow_list_runs",
  connection: "local",
  outcome,
});

test("a call's end takes the place of its start and keeps its time", () => {
  let strip = applyActivity([], call("a", "started", "2026-01-01T00:00:01Z"));
  strip = applyActivity(strip, call("b", "started"));
  strip = applyActivity(strip, call("a", "ok", "2026-01-01T00:00:09Z"));
  expect(strip.map(({ call_id, outcome }) => [call_id, outcome])).toEqual([
    ["b", "started"],
    ["a", "ok"],
  ]);
  expect(strip[1]?.at).toBe("2026-01-01T00:00:01Z");
});

test("only so many are kept, the newest ones", () => {
  let strip: readonly AgentActivity[] = [];
  for (let index = 0; index <= KEPT_CALLS; index += 1) strip = applyActivity(strip, call(`${index}`, "ok"));
  expect(strip).toHaveLength(KEPT_CALLS);
  expect(strip[0]?.call_id).toBe(`${KEPT_CALLS}`);
});
