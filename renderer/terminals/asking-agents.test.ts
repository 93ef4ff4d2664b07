import { expect, test } from "vitest";
import type { AgentActivity } from "../../electron/contract/ipc.ts";
import { askingAgents } from "./asking-agents.ts";

const call = (caller: string, tool: string, outcome: AgentActivity["outcome"]): AgentActivity => ({
  call_id: `${caller}-${tool}-${outcome}`,
  at: "2026-11-30T10:00:00Z",
  caller,
  tool,
  connection: "embedded",
  outcome,
});

test("[B6] whose commands wait is told, each agent once, and no other call's", () => {
  expect(
    askingAgents([
      call("newest", "ironbridge_terminal_input", "asking"),
      call("claude", "ironflow_terminal_run", "asking"),
      call("done", "ironflow_terminal_run", "ok"),
      call("other", "ironflow_delete_run", "asking"),
      call("claude", "ironflow_terminal_run", "asking"),
    ]),
  ).toEqual(["claude", "newest"]);
  expect(askingAgents([])).toEqual([]);
});
