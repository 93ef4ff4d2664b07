import { isLosslessNumber, type LosslessNumber } from "lossless-json";
import { parseExactJson } from "../../../loopback/exact-json.ts";
import { toTimestamp } from "../../clock.ts";
import { valueAtPath } from "../../execute/match.ts";
import { toJsonText } from "../../json/json-text.ts";
import type { Bindable } from "../../store/database.ts";
import type { EventRow } from "../../store/events.ts";

/** Gives the values of placeholders for one event. Data and metadata are parsed once, and only when somebody asks. */
export function valuesOf(event: EventRow): (placeholder: string) => Bindable {
  let data: unknown;
  let metadata: unknown;
  const roots: Record<string, () => unknown> = {
    data: () => (data ??= parseExactJson(event.data)),
    metadata: () => (metadata ??= parseExactJson(event.metadata ?? "{}")),
    id: () => event.id,
    event_id: () => event.id,
    name: () => event.name,
    event_name: () => event.name,
    entity_id: () => event.entity_id,
    entity_type: () => event.entity_type,
    entity_version: () => event.entity_version,
    timestamp: () => toTimestamp(event.timestamp),
    timestamp_ms: () => event.timestamp,
    source: () => event.source,
    version: () => event.version,
    seq: () => event.seq,
  };
  return (placeholder) => {
    const [root = "", ...path] = placeholder.split(".");
    const value = roots[root]?.();
    return toBindable(path.length === 0 ? value : valueAtPath(value, path.join(".")));
  };
}

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** A JSON value as SQLite holds it: whole numbers stay whole, lists and objects are their JSON text, nothing is NULL. */
function toBindable(value: unknown): Bindable {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (isLosslessNumber(value)) return exactNumber(value);
  return toJsonText(value).text;
}

function exactNumber({ value }: LosslessNumber): Bindable {
  if (!/^-?\d+$/.test(value)) return Number(value);
  const whole = BigInt(value);
  return whole >= int64.min && whole <= int64.max ? whole : Number(value);
}
