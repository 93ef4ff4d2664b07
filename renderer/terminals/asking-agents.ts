import type { AgentActivity } from "../../electron/contract/ipc.ts";

const RUN_OR_TYPE = new Set(["ironflow_terminal_run", "ironbridge_terminal_input"]);

/** Whose commands, or keys, wait for the person now: each once, the one that waits longest first. */
export function askingAgents(activity: readonly AgentActivity[]): string[] {
  const asking = activity.filter(({ outcome, tool }) => outcome === "asking" && RUN_OR_TYPE.has(tool));
  return [...new Set(asking.map(({ caller }) => caller).toReversed())];
}
