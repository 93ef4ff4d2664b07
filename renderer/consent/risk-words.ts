import type { Question } from "../../electron/contract/consent.ts";

export type RiskWords = { readonly word: string; readonly tone: "bad" | "warn" | "info" };

/** What a risk means to the person who answers. Commands, and raising rights, have words of their own. */
export function riskWords({ kind, risk }: Pick<Question, "kind" | "risk">): RiskWords {
  if (kind === "rights") return { word: "Gives more rights", tone: "warn" };
  if (kind === "command") return { word: "Runs on your computer", tone: "warn" };
  return TOOL_WORDS[risk];
}

const TOOL_WORDS: Record<Question["risk"], RiskWords> = {
  irreversible: { word: "Cannot be undone", tone: "bad" },
  destructive: { word: "Changes what runs", tone: "warn" },
  write: { word: "Changes data", tone: "warn" },
  read: { word: "Reads only", tone: "info" },
};

/** `4:05`, or `0:00` when time is up. */
export function countdown(expiresAtMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((expiresAtMs - nowMs) / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
