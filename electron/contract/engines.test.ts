import { expect, it } from "vitest";
import { EngineName } from "./engines.ts";

it.each([
  ["a filler that is drawn as nothing", "Staging\u3164"],
  ["half a filler", "Sta\uFFA0ging"],
  ["a joiner", "Sta\u200Dging"],
  ["a mark that turns the direction", "\u202EgnigatS"],
  ["a space that is none", "Staging\u00A0"],
  ["a Cyrillic letter in a Latin word", "\u0405taging"],
  ["a word that only looks Latin", "\u0441\u043E\u0440\u0443"],
  ["letters of full width", "\uFF33taging"],
  ["mathematical letters", "\u{1D412}taging"],
  ["a line", "Staging\nEmbedded"],
  ["nothing", "  "],
])("an engine's name cannot hold %s", (_, name) => {
  expect(EngineName.safeParse(`${name}x`).success && EngineName.safeParse(name).success).toBe(false);
});

it.each([
  ["Staging (eu-1)", "Staging (eu-1)"],
  [" Pru\u0308fung ", "Pr\u00FCfung"],
  ["\u0421\u043A\u043B\u0430\u0434 2", "\u0421\u043A\u043B\u0430\u0434 2"],
  ["\u672C\u756A", "\u672C\u756A"],
  ["\u0E40\u0E0A\u0E35\u0E22\u0E07", "\u0E40\u0E0A\u0E35\u0E22\u0E07"],
])("%j is a name, kept as %j", (name, kept) => {
  expect(EngineName.parse(name)).toBe(kept);
});
