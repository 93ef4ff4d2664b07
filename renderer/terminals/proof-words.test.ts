import { expect, test } from "vitest";
import { TerminalRecord } from "../../electron/contract/terminals.ts";
import { proofWords, sumWords } from "./proof-words.ts";

const record = (more: Partial<TerminalRecord>) =>
  ({ proof: null, left_behind: 0, ended_at: "2026-11-30T09:00:00Z", ...more }) as TerminalRecord;

test("each proof has its own words, and none is claimed where there is none", () => {
  const proofs = TerminalRecord.shape.proof.unwrap().options;
  for (const form of ["short", "whole"] as const)
    expect(new Set(proofs.map((proof) => proofWords(record({ proof }))[form])).size).toBe(proofs.length);
  expect(proofWords(record({ ended_at: null }))).toEqual({ short: "", whole: "None yet: it runs." });
  expect(proofWords(record({})).short).toMatch(/checked/);
  expect(proofWords(record({})).whole).toMatch(/checked/);
  expect(proofWords(record({ left_behind: 1 }))).toEqual({
    short: "1 lives on",
    whole: "1 of its processes lives on.",
  });
  expect(proofWords(record({ left_behind: 3 }))).toEqual({
    short: "3 live on",
    whole: "3 of its processes live on.",
  });
});

const gone = record({ gone_at: "2026-11-30T09:00:01Z", proof: "reaped" });
const unproved = record({ gone_at: null });
const running = record({ gone_at: null, ended_at: null });

test.each([
  [[gone], "Nothing is left running: the one process ended, with proof."],
  [[gone, gone], "Nothing is left running: all 2 ended, with proof."],
  [[running], "1 process is running."],
  [[running, gone, running], "2 processes are running."],
  [[gone, unproved], "1 has ended, but something of it may live on: open it to see why."],
  [[unproved, unproved], "2 have ended, but something of them may live on: open them to see why."],
  [
    [running, unproved],
    "1 process is running. 1 has ended, but something of it may live on: open it to see why.",
  ],
])("the sum tells what runs from what ended without proof (%#)", (records, words) => {
  expect(sumWords(records)).toBe(words);
});
