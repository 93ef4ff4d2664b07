import { entriesOf, kindOf, scalarText, type JsonKind } from "./exact.ts";

/** One line of the tree. `path` is unique in it: the keys from the root, each JSON-quoted. */
export type JsonRow = {
  readonly path: string;
  readonly depth: number;
  /** Member name, index in an array, or null for the root. */
  readonly key: string | number | null;
  readonly kind: JsonKind;
  /** What stands on the line: the value, or what an object or array holds. */
  readonly text: string;
  readonly open: boolean;
  /** Objects and arrays with members, and strings too long for a line. */
  readonly opens: boolean;
  /** The whole of a long string that is open. */
  readonly whole: string | null;
};

/** A string longer than this, or with a line break, is cut on its line and can be opened. */
export const LINE_CHARS = 160;
/** No more of an open string than this is drawn; copying gives all of it. */
export const WHOLE_CHARS = 20_000;
const OPEN_DEPTH = 2;
const OPEN_MEMBERS = 40;

/** What is open before anybody touched it: the first levels, where they are small. */
export const opensAtFirst = (depth: number, members: number): boolean =>
  depth < OPEN_DEPTH && (depth === 0 || members <= OPEN_MEMBERS);

/** The lines that are visible. `toggled` holds the paths that a person opened or closed against the rule. */
export function jsonRows(value: unknown, toggled: ReadonlySet<string>): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  // A stack of our own: nesting is the payload's choice, and the call stack is not.
  const open: { value: unknown; key: string | number | null; path: string; depth: number }[] = [
    { value, key: null, path: "$", depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, path, depth } = next;
    const kind = kindOf(next.value);
    if (kind === "object" || kind === "array") {
      const members = entriesOf(next.value);
      const opens = members.length > 0;
      const isOpen = opens && toggled.has(path) !== opensAtFirst(depth, members.length);
      rows.push({
        path,
        depth,
        key,
        kind,
        text: summary(kind, members.length),
        open: isOpen,
        opens,
        whole: null,
      });
      if (!isOpen) continue;
      for (const [name, member] of [...members].reverse()) {
        open.push({ value: member, key: name, path: `${path}/${JSON.stringify(name)}`, depth: depth + 1 });
      }
      continue;
    }
    if (kind !== "string") {
      rows.push({
        path,
        depth,
        key,
        kind,
        text: scalarText(next.value),
        open: false,
        opens: false,
        whole: null,
      });
      continue;
    }
    const string = next.value as string;
    const opens = string.length > LINE_CHARS || string.includes("\n");
    const isOpen = opens && toggled.has(path);
    rows.push({
      path,
      depth,
      key,
      kind,
      text: opens ? cut(string) : JSON.stringify(string),
      open: isOpen,
      opens,
      whole: isOpen ? string.slice(0, WHOLE_CHARS) : null,
    });
  }
  return rows;
}

function summary(kind: "object" | "array", members: number): string {
  if (members === 0) return kind === "object" ? "{}" : "[]";
  const word = kind === "object" ? (members === 1 ? "field" : "fields") : members === 1 ? "item" : "items";
  return `${members.toLocaleString("en")} ${word}`;
}

const cut = (string: string): string =>
  `${JSON.stringify(string.slice(0, LINE_CHARS))}… ${string.length.toLocaleString("en")} characters`;
