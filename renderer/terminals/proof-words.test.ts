import { expect, test } from "vitest";
import { TerminalRecord } from "../../electron/contract/terminals.ts";
import { proofWords } from "./proof-words.ts";

const record = (more: Partial<TerminalRecord>) =>
  ({ proof: null, left_behind: 0, ended_at: "2026-11-30T09:00:00Z", ...more }) as TerminalRecord;

test("each proof has its own words, and none is claimed where there is none", () => {
  const proofs = TerminalRecord.shape.proof.unwrap().options;
  for (const form of ["short", "whole"] as const)
    expect(new Set(proofs.map((proof) => proofWords(record({ proof }))[form])).size).toBe(proofs.length);
  expect(proofWords(record({ ended_at: null }))).toEqual({ short: "Runs", whole: "It runs." });
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
