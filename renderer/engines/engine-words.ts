import type { EngineInfo } from "../../electron/contract/engines.ts";
import type { TestState } from "./engines-slice.ts";

const KEYS: Readonly<Record<EngineInfo["key"], string>> = {
  none: "no API key",
  kept: "API key kept by the system's key store",
  this_run: "API key kept until the app ends",
  needed: "its API key could not be kept: enter it again",
};

export const keyText = ({ key }: EngineInfo): string => KEYS[key];

export function rightsText({ person_may_write: person, agents_may_write: agents }: EngineInfo): string {
  if (person) return agents ? "writable by you and agents" : "writable by you";
  return agents ? "read-only for you, writable by agents" : "read-only";
}

/** A reason as programs give it, as a sentence that can stand between others. */
function sentence(reason: string): string {
  const begun = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

const STATES = {
  starting: "It is starting.",
  connected: "It answers.",
  unreachable: "It does not answer.",
  unauthorized: "It answers, and refuses the key.",
  crashed: "The tool server could not be started.",
} as const;

/**
 * How the last test of an engine came out.
 * @param key what the app has of its key: an engine cannot refuse a key that it was not sent
 */
export function testText(
  state: TestState,
  key: EngineInfo["key"],
): { readonly good: boolean; readonly text: string } {
  if (state.phase === "under_way") return { good: true, text: "Testing…" };
  if (state.phase === "failed") return { good: false, text: state.problem };
  const { state: found, engine_version: version, problem, ms } = state.test;
  const isKeyMissing = found === "unauthorized" && (key === "none" || key === "needed");
  const words = [
    isKeyMissing ? "It answers, and wants an API key." : STATES[found],
    version === undefined ? "" : `Version ${version}.`,
    problem === undefined || isKeyMissing ? "" : sentence(problem),
    `Took ${(ms / 1_000).toFixed(1)} s.`,
  ];
  return { good: found === "connected", text: words.filter((word) => word !== "").join(" ") };
}
