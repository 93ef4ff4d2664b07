import { isLosslessNumber, stringify, type LosslessNumber } from "lossless-json";

/**
 * A number that a double cannot hold, shown digit by digit. Told by the private symbol of its class: a payload's members are whatever somebody
 * sent, and one that looks like this is an object.
 */
export const isExact = (value: unknown): value is LosslessNumber => isLosslessNumber(value);

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null" | "absent";

export function kindOf(value: unknown): JsonKind {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isExact(value)) return "number";
  const type = typeof value;
  if (type === "bigint") return "number";
  return type === "string" || type === "boolean" || type === "number" ? type : "object";
}

/** The members of an object or array, in order. */
export function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [index, item] as const);
  return kindOf(value) === "object" ? Object.entries(value as object) : [];
}

/** A value as JSON text: every digit, two blanks of indent. `undefined` is the empty text. */
export function jsonText(value: unknown): string {
  return stringify(value, undefined, 2) ?? "";
}

/** A number, boolean or null as it is written. */
export function scalarText(value: unknown): string {
  if (isExact(value)) return value.value;
  return String(value);
}

export type JsonSize = { readonly nodes: number; readonly chars: number; readonly more: boolean };

/** Counts values and about how many characters they take; stops at the limits, and then `more` is true. */
export function measureJson(value: unknown, limits: { nodes: number; chars: number }): JsonSize {
  let nodes = 0;
  let chars = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    nodes += 1;
    const kind = kindOf(next);
    if (kind === "string") chars += (next as string).length + 2;
    else if (kind === "object" || kind === "array") {
      for (const [key, member] of entriesOf(next)) {
        open.push(member);
        chars += typeof key === "string" ? key.length + 4 : 1;
      }
    } else chars += scalarText(next).length;
    if (nodes > limits.nodes || chars > limits.chars) return { nodes, chars, more: true };
  }
  return { nodes, chars, more: false };
}
