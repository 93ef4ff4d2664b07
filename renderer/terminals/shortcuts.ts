/** What the keyboard can do with a terminal, wherever in it the focus is. */
export type TerminalAction =
  | "leave"
  | "find"
  | "copy"
  | "link"
  | "rename"
  | "split"
  | "newer"
  | "older"
  | "go";

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "shiftKey" | "altKey" | "metaKey">;

/** Programs get every other key: Ctrl+Shift with a letter means nothing to them. By what the key types. */
const WITH_CONTROL_SHIFT: Readonly<Record<string, TerminalAction>> = {
  F: "find",
  C: "copy",
  L: "link",
  E: "rename",
  D: "split",
  P: "go",
  PAGEDOWN: "older",
  PAGEUP: "newer",
};

const MODIFIERS: ReadonlySet<string> = new Set(["Control", "Shift", "Alt", "Meta"]);

/** The list in which they are shown, with the keys as one reads them; all but the first go with Ctrl+Shift. */
export const SHORTCUTS: readonly { keys: string; what: string }[] = [
  { keys: "F6", what: "leave" },
  { keys: "P", what: "go to" },
  { keys: "F", what: "find" },
  { keys: "C", what: "copy" },
  { keys: "L", what: "links" },
  { keys: "E", what: "name" },
  { keys: "D", what: "split" },
  { keys: "PageUp PageDown", what: "next tab" },
];

/** Null: the key is the program's. */
export function shortcutOf({ key, ctrlKey, shiftKey, altKey, metaKey }: Key): TerminalAction | null {
  if (altKey || metaKey) return null;
  // Tab belongs to the shell, so there must be another way out for the keyboard.
  if (key === "F6" && !ctrlKey && !shiftKey) return "leave";
  return ctrlKey && shiftKey ? (WITH_CONTROL_SHIFT[key.toUpperCase()] ?? null) : null;
}

/** Whether the key goes from here to another tab or page, or is held down for that, and does nothing to the terminal. */
export function goesElsewhere(key: Key): boolean {
  const action = shortcutOf(key);
  return action === "newer" || action === "older" || action === "go" || MODIFIERS.has(key.key);
}
