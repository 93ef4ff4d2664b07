import { describe, expect, test } from "vitest";
import { goesElsewhere, SHORTCUTS, shortcutOf } from "./shortcuts.ts";

const NONE = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
const BOTH = { ...NONE, ctrlKey: true, shiftKey: true };

describe("keys in a terminal", () => {
  test.each([
    ["F6", NONE, "leave"],
    ["F", BOTH, "find"],
    ["c", BOTH, "copy"],
    ["L", BOTH, "link"],
    ["E", BOTH, "rename"],
    ["D", BOTH, "split"],
    ["P", BOTH, "go"],
    ["PageUp", BOTH, "newer"],
    ["PageDown", BOTH, "older"],
  ] as const)("[B6] %s is ours", (key, modifiers, action) => {
    expect(shortcutOf({ key, ...modifiers })).toBe(action);
  });

  test.each([
    ["F6", { ...NONE, shiftKey: true }],
    ["f", { ...NONE, ctrlKey: true }],
    ["C", { ...NONE, shiftKey: true }],
    ["d", { ...NONE, ctrlKey: true }],
    ["l", { ...NONE, ctrlKey: true }],
    ["F", { ...BOTH, altKey: true }],
    ["PageUp", { ...NONE, shiftKey: true }],
    ["Tab", NONE],
    ["k", { ...NONE, ctrlKey: true }],
    ["p", { ...NONE, ctrlKey: true }],
    ["X", BOTH],
  ])("%s with other modifiers is the program's", (key, modifiers) => {
    expect(shortcutOf({ key, ...modifiers })).toBeNull();
  });

  test("each is in the list that the page shows", () => {
    const [first, ...withBoth] = SHORTCUTS.flatMap(({ keys }) => keys.split(" "));
    expect(shortcutOf({ key: first ?? "", ...NONE })).toBe("leave");
    expect(withBoth.map((key) => shortcutOf({ key, ...BOTH }))).toEqual([
      "go",
      "find",
      "copy",
      "link",
      "rename",
      "split",
      "newer",
      "older",
    ]);
  });
});

test("[B6] keys that pass a terminal by are told from those that are meant for it", () => {
  const passing = ["PageUp", "PageDown", "P"].map((key) => ({ key, ...BOTH }));
  const held = ["Control", "Shift"].map((key) => ({ key, ...BOTH }));
  for (const key of [...passing, ...held]) expect(goesElsewhere(key)).toBe(true);
  const meant = [
    { key: "PageUp", ...NONE, shiftKey: true },
    { key: "a", ...NONE },
    { key: "F", ...BOTH },
  ];
  for (const key of meant) expect(goesElsewhere(key)).toBe(false);
});
