import type { AuditRow } from "../../electron/contract/audit.ts";

type Field = readonly [name: string, value: string];

/** Ids and digests tie rows to each other; they tell a person the least. */
const isTie = (name: string): boolean => name === "digest" || name.endsWith("_id");

/** What a row holds, that which tells a person most first: the tool, then the rest, and last what only ties rows together. */
export function orderedFields(detail: AuditRow["detail"]): readonly Field[] {
  const rank = (name: string) => (name === "tool" ? 0 : isTie(name) ? 2 : 1);
  return Object.entries(detail)
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map(([name, value]) => [name.replaceAll("_", " "), String(value)]);
}

/**
 * The same in a line of the list. The list has a column for the tool, so it is left out, except where the row has nothing
 * else to tell: what a question was about stands here without its label, with more room than in that column. The id of a call
 * is the same for many rows, and is in the row's own page.
 */
export function detailLine(detail: AuditRow["detail"]): string {
  const { call_id: _, tool, ...rest } = detail;
  const line = inLine(rest);
  return tool !== undefined && Object.keys(rest).every(isTie)
    ? [String(tool), line].filter((part) => part !== "").join(" · ")
    : line;
}

/** Every field in a line. */
export const inLine = (detail: AuditRow["detail"]): string =>
  orderedFields(detail)
    .map(([name, value]) => `${name}: ${value}`)
    .join(" · ");
