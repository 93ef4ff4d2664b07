import type { TerminalRecord } from "../../electron/contract/terminals.ts";

/** In a few words, for a list, and as a sentence that says what was seen. */
type Proof = { readonly short: string; readonly whole: string };

const PROOFS: Record<NonNullable<TerminalRecord["proof"]>, Proof> = {
  reaped: {
    short: "End reported",
    whole: "The system reported its end; nothing of its session was found afterwards.",
  },
  ended_by_app: {
    short: "Ended by the app",
    whole: "The bridge was gone; the app ended what was left and saw it go.",
  },
  not_there_at_start: {
    short: "Gone at next start",
    whole: "The app was killed; at the next start nothing carried its marker.",
  },
  never_started: { short: "Never started", whole: "It never started." },
};

/** What proves that nothing of it lives, or why that is not proved; for a list nothing while it runs, which stands there. */
export function proofWords({ proof, left_behind, ended_at }: TerminalRecord): Proof {
  if (proof !== null) return PROOFS[proof];
  if (ended_at === null) return { short: "", whole: "None yet: it runs." };
  if (left_behind === 0) return { short: "Being checked", whole: "Its end is being checked." };
  return left_behind === 1
    ? { short: "1 lives on", whole: "1 of its processes lives on." }
    : { short: `${left_behind} live on`, whole: `${left_behind} of its processes live on.` };
}

/** Above the list: what still runs, and what has ended without a proof that nothing of it lives. */
export function sumWords(records: readonly TerminalRecord[]): string {
  const open = records.filter(({ gone_at }) => gone_at === null);
  if (open.length === 0) {
    const all = records.length === 1 ? "the one process" : `all ${records.length}`;
    return `Nothing is left running: ${all} ended, with proof.`;
  }
  const running = open.filter(({ ended_at }) => ended_at === null).length;
  const unproved = open.length - running;
  return [
    running === 0 ? "" : running === 1 ? "1 process is running." : `${running} processes are running.`,
    unproved === 0
      ? ""
      : unproved === 1
        ? "1 has ended, but something of it may live on: open it to see why."
        : `${unproved} have ended, but something of them may live on: open them to see why.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
