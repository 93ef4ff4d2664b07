import type { TerminalRecord } from "../../electron/contract/terminals.ts";

const PROOFS: Record<NonNullable<TerminalRecord["proof"]>, string> = {
  reaped: "The system reported its end; nothing of its session was found afterwards.",
  ended_by_app: "The bridge died; the app ended what was left and saw it go.",
  not_there_at_start: "The app was killed; at the next start nothing carried its marker.",
  never_started: "It never started.",
};

/** What proves that nothing of it lives, or why that is not proved. */
export function proofWords({ proof, left_behind, ended_at }: TerminalRecord): string {
  if (proof !== null) return PROOFS[proof];
  if (ended_at === null) return "It runs.";
  if (left_behind === 0) return "Its end is being checked.";
  return left_behind === 1 ? "1 of its processes lives on." : `${left_behind} of its processes live on.`;
}
