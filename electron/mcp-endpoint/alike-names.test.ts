import { expect, it } from "vitest";
import { lookAlike } from "./alike-names.ts";

it.each([
  ["claude", "claude"],
  ["claude", "Claude"],
  ["claude", "c1aude"],
  ["claude", "cIaude"],
  ["local", "LOCAL"],
  ["local", "locaI"],
  ["local", "l0cal"],
  ["agent one", "agent-one"],
  ["agent one", "agent  one"],
  ["agent one", "agentone"],
  ["codex.", "codex"],
  ["modern", "modem"],
  ["build 8", "build B"],
  ["window", "vvindow"],
  ["Staging", "Stagıng"],
  ["Staging", "Stagiṇg"],
  ["Staging", "Staging ()"],
  ["Köln", "Koln"],
])("%j looks like %j, and the other way round", (a, b) => {
  expect(lookAlike(a, b)).toBe(true);
  expect(lookAlike(b, a)).toBe(true);
});

it.each([
  ["claude", "claudia"],
  ["agent 1", "agent 2"],
  ["agent 3", "agent 4"],
  ["reader", "writer"],
  ["ci", "cd"],
  ["Claude Code", "Codex"],
])("%j does not look like %j", (a, b) => {
  expect(lookAlike(a, b)).toBe(false);
});
