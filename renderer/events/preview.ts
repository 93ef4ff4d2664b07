import { entriesOf, kindOf, scalarText } from "../json/exact.ts";

const MOST_CHARS = 160;
const MOST_MEMBERS = 12;

/** A payload on one line, cut: `{order_id: "o-1", total: 12, lines: […]}`. Never walks further than it shows. */
export function previewOf(value: unknown): string {
  const text = shallow(value, true);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}

function shallow(value: unknown, open: boolean): string {
  const kind = kindOf(value);
  if (kind === "absent") return "";
  if (kind === "string") return JSON.stringify((value as string).slice(0, MOST_CHARS));
  if (kind !== "object" && kind !== "array") return scalarText(value);
  const members = entriesOf(value);
  const [left, right] = kind === "object" ? ["{", "}"] : ["[", "]"];
  if (members.length === 0) return left + right;
  if (!open) return `${left}…${right}`;
  const shown = members
    .slice(0, MOST_MEMBERS)
    .map(([key, member]) =>
      kind === "object" ? `${key}: ${shallow(member, false)}` : shallow(member, false),
    );
  return `${left}${shown.join(", ")}${members.length > MOST_MEMBERS ? ", …" : ""}${right}`;
}
