import { isLosslessNumber } from "lossless-json";
import { ApiError } from "../errors.ts";
import { viewEvent } from "../execute/event-view.ts";
import { compileExpression, ExpressionError } from "../execute/expression.ts";
import { parseMatch, valueAtPath } from "../execute/match.ts";
import type { EventRow } from "../store/events.ts";

/** The partition of a projection that has none, and of events that have no key. */
export const GLOBAL_PARTITION = "__global__";

export const MAX_PARTITION_CHARS = 512;

/** What a partition key says about an event, or why it says nothing. */
export type Partition = { partition: string } | { problem: string };

/**
 * Checks a partition key: a dotted path such as `data.customerId` or `entity_id`, or a CEL expression.
 * @throws ApiError invalid_argument
 */
export function compilePartitionKey(key: string): void {
  const match = parseMatch(withoutEvent(key));
  if (match.grammar === "cel") compileExpression(match.expression, "partition_key");
}

/** The partition of an event: the key's text, number or truth value; nothing at all is the global one. */
export function partitionOf(key: string, event: EventRow): Partition {
  const match = parseMatch(withoutEvent(key));
  if (match.grammar === "any") return { partition: GLOBAL_PARTITION };
  try {
    const view = viewEvent(event);
    return textOf(
      match.grammar === "path"
        ? valueAtPath(view.exact(), match.path)
        : compileExpression(match.expression, "partition_key").value(view.plain(), view.budget),
    );
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof ApiError) return { problem: error.message };
    throw error;
  }
}

function textOf(value: unknown): Partition {
  if (value === undefined || value === null || value === "") return { partition: GLOBAL_PARTITION };
  if (isLosslessNumber(value)) return { partition: value.value };
  if (typeof value === "number" || typeof value === "boolean") return { partition: String(value) };
  if (typeof value !== "string") {
    return {
      problem: `the partition key is ${Array.isArray(value) ? "a list" : "an object"}, not a text or number`,
    };
  }
  return value.length <= MAX_PARTITION_CHARS
    ? { partition: value }
    : { problem: `the partition key is longer than ${MAX_PARTITION_CHARS} characters` };
}

/** `event.data.x` and `data.x` are the same. */
const withoutEvent = (key: string) => key.trim().replace(/^event\./, "");
