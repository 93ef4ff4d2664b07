import { compileExpression, ExpressionError } from "./expression.ts";
import { matchKey, parseMatch, valueAtPath } from "./match.ts";
import type { EventView } from "./event-view.ts";

/**
 * Checks the key of a lane or debounce: a dotted path such as `data.userId`, or a CEL expression.
 * @throws ApiError invalid_argument that names `field`
 */
export function compileKey(text: string | undefined, field: string): void {
  const match = parseMatch(withoutEvent(text));
  if (match.grammar === "cel") compileExpression(match.expression, field);
}

/**
 * What the key is for one event: JSON text, `null` when the event has no such value or the expression fails on it;
 * "" when there is no key at all.
 */
export function keyOf(text: string | undefined, event: EventView): string {
  const match = parseMatch(withoutEvent(text));
  if (match.grammar === "any") return "";
  if (match.grammar === "path") return matchKey(valueAtPath(event.exact(), match.path)) ?? "null";
  try {
    const value = compileExpression(match.expression, "key").value(event.plain(), event.budget);
    const plain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return (plain ? matchKey(value) : null) ?? "null";
  } catch (error) {
    if (error instanceof ExpressionError) return "null";
    throw error;
  }
}

/** `event.data.x` and `data.x` are the same. */
const withoutEvent = (text: string | undefined) => text?.trim().replace(/^event\./, "");
