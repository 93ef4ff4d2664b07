import { createHash } from "node:crypto";
import { isLosslessNumber } from "lossless-json";
import { toTimestamp } from "../clock.ts";

/** How a wait or a cancelOn decides about an event of the right name. */
export type Match =
  | { grammar: "any" }
  | { grammar: "path"; path: string }
  | { grammar: "cel"; expression: string };

const path = /^[A-Za-z_$][\w$-]*(\.[\w$-]+)*$/;

/** A dotted path such as `data.orderId` is a path; any other text is a CEL expression; no text takes every event. */
export function parseMatch(match: string | undefined): Match {
  const text = match?.trim() ?? "";
  if (text === "") return { grammar: "any" };
  return path.test(text) ? { grammar: "path", path: text } : { grammar: "cel", expression: text };
}

/**
 * What paths and expressions see of an event: `data.x`, `name`, `id`, `source`, `metadata.x`, and of an event of a stream
 * `entity_id`, `entity_type` and `entity_version`, which are null for any other.
 */
export function eventScope(
  event: {
    id: string;
    name: string;
    data: string;
    source: string;
    metadata: string | null;
    timestamp: number;
    entity_id?: string | null;
    entity_type?: string | null;
    entity_version?: number | null;
  },
  parse: (text: string) => unknown,
): Record<string, unknown> {
  return {
    id: event.id,
    name: event.name,
    data: parse(event.data),
    source: event.source,
    metadata: event.metadata === null ? {} : parse(event.metadata),
    timestamp: toTimestamp(event.timestamp),
    entity_id: event.entity_id ?? null,
    entity_type: event.entity_type ?? null,
    entity_version: event.entity_version ?? null,
  };
}

/** The value at a dotted path; own members and array indexes only. `undefined` when there is none. */
export function valueAtPath(root: unknown, dotted: string): unknown {
  let value = root;
  for (const name of dotted.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const longestPlainKeyChars = 64;

/**
 * A text that is equal exactly when two values are equal as JSON (order of members aside); null for `undefined`, which
 * equals nothing.
 */
export function matchKey(value: unknown): string | null {
  if (value === undefined) return null;
  const text = canonical(value);
  return text.length <= longestPlainKeyChars
    ? text
    : `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

function canonical(value: unknown): string {
  if (isLosslessNumber(value)) return value.value;
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
