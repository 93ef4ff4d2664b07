import type { EventRow } from "../../store/events.ts";
import type { Bindable } from "../../store/database.ts";

/** The largest text, blob or row that a SQL projection reads or makes, and the largest event it is given, bytes. */
export const MAX_VALUE_BYTES = 1_000_000;

/** What is bound to one statement, each value as often as the statement names it, bytes. */
const maxBoundBytes = 4 * MAX_VALUE_BYTES;

/** @throws Error for an event that is too large for a SQL projection */
export function requireSmallEvent(event: EventRow): void {
  const bytes = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata ?? "");
  if (bytes > MAX_VALUE_BYTES) {
    throw new Error(
      `the event's data and metadata have ${bytes} bytes; a SQL projection takes ${MAX_VALUE_BYTES} at most`,
    );
  }
}

/**
 * @param uses how often the statement names each value
 * @throws Error for values that are too large together
 */
export function requireSmallValues(values: readonly Bindable[], uses: readonly number[]): void {
  let bytes = 0;
  for (const [index, value] of values.entries()) bytes += bytesOf(value) * (uses[index] ?? 1);
  if (bytes <= maxBoundBytes) return;
  throw new Error(`a statement's placeholders stand for ${bytes} bytes; ${maxBoundBytes} is the most`);
}

function bytesOf(value: Bindable): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.byteLength : 8;
}
