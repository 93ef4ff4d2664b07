import { describe, expect, test } from "vitest";
import { opensPalette } from "./palette-keys.ts";

const NONE = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
const CONTROL = { ...NONE, ctrlKey: true };
const COMMAND = { ...NONE, metaKey: true };
const PAGE = { mac: false, inTerminal: false };
const TERMINAL = { mac: false, inTerminal: true };
const MAC = { mac: true, inTerminal: false };
const MAC_TERMINAL = { mac: true, inTerminal: true };

describe("the key that opens the list of where to go", () => {
  test.each([
    ["Ctrl+K on a page", "k", CONTROL, PAGE],
    ["with Caps Lock", "K", CONTROL, PAGE],
    ["Cmd+K on macOS", "k", COMMAND, MAC],
    ["Cmd+K in a terminal on macOS", "k", COMMAND, MAC_TERMINAL],
    ["Ctrl+Shift+P on a page", "P", { ...CONTROL, shiftKey: true }, PAGE],
    ["Ctrl+Shift+P in a terminal", "P", { ...CONTROL, shiftKey: true }, TERMINAL],
  ])("[F7] %s does", (_what, key, modifiers, where) => {
    expect(opensPalette({ key, ...modifiers }, where)).toBe(true);
  });

  test.each([
    ["Ctrl+K in a terminal, which cuts the shell's line", "k", CONTROL, TERMINAL],
    ["Ctrl+K on macOS, which cuts a field's line", "k", CONTROL, MAC],
    ["Cmd+K elsewhere", "k", COMMAND, PAGE],
    ["K alone", "k", NONE, PAGE],
    ["Ctrl+Shift+K", "K", { ...CONTROL, shiftKey: true }, PAGE],
    ["Ctrl+Alt+K", "k", { ...CONTROL, altKey: true }, PAGE],
    ["Ctrl+P", "p", CONTROL, PAGE],
  ])("[F7] %s does not", (_what, key, modifiers, where) => {
    expect(opensPalette({ key, ...modifiers }, where)).toBe(false);
  });
});
