import type { AgentActivity } from "../../electron/contract/ipc.ts";

/** As many calls as the strip keeps. */
export const KEPT_CALLS = 500;

/** A call is told twice, when it starts and when it ends: the second takes the place of the first. */
export function applyActivity(
  before: readonly AgentActivity[],
  call: AgentActivity,
): readonly AgentActivity[] {
  const known = before.findIndex(({ call_id }) => call_id === call.call_id);
  if (known === -1) return [call, ...before].slice(0, KEPT_CALLS);
  // The time it started stays: the strip is in the order of starts.
  return before.map((row, index) => (index === known ? { ...call, at: row.at } : row));
}
