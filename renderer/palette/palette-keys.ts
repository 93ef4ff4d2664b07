import { shortcutOf } from "../terminals/shortcuts.ts";

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "shiftKey" | "altKey" | "metaKey">;

/**
 * Whether a key opens the list of where to go: Ctrl+K, on macOS Cmd+K, and the key that terminals keep for it. In a
 * terminal Ctrl+K is the shell's, which cuts its line with it; Cmd is no shell's.
 */
export function opensPalette(key: Key, where: { mac: boolean; inTerminal: boolean }): boolean {
  if (shortcutOf(key) === "go") return true;
  if (key.key.toLowerCase() !== "k" || key.shiftKey || key.altKey) return false;
  if (where.mac) return key.metaKey && !key.ctrlKey;
  return key.ctrlKey && !key.metaKey && !where.inTerminal;
}
