import type { OmittedPayload } from "../contract/domain.ts";
import { toText } from "../upstream/wire-json.ts";

/** Fields in which an application's own data travels. */
const PAYLOAD_FIELDS = ["input", "output", "data", "metadata", "value"] as const;

/** Below this a payload is not worth leaving out, in bytes of JSON. */
const SMALL_BYTES = 256;

type Slot = { readonly holder: Record<string, unknown>; readonly field: string; readonly bytes: number };

/**
 * The answer with its largest payloads replaced by `{"$omitted": …}` until about `excessBytes` are saved. Looks at the
 * answer's own fields and at those of the rows in its lists. The answer itself is not changed.
 */
export function omitPayloads(answer: object, excessBytes: number): object {
  const copy = copyRows(answer);
  const slots = findSlots(copy).sort((a, b) => b.bytes - a.bytes);
  let left = excessBytes;
  for (const { holder, field, bytes } of slots) {
    if (left <= 0 || bytes <= SMALL_BYTES) break;
    const omitted: OmittedPayload = {
      $omitted: { bytes, reason: "too large for this answer" },
    };
    holder[field] = omitted;
    left -= bytes - Buffer.byteLength(JSON.stringify(omitted));
  }
  return copy;
}

function copyRows(answer: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, Array.isArray(value) ? value.map(copyRow) : value]),
  );
}

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const copyRow = (row: unknown): unknown => (isRow(row) ? { ...row } : row);

function findSlots(copy: Record<string, unknown>): Slot[] {
  const rows = Object.values(copy).filter(Array.isArray).flat().filter(isRow);
  return [copy, ...rows].flatMap((holder) =>
    PAYLOAD_FIELDS.filter((field) => holder[field] !== undefined).map((field) => ({
      holder,
      field,
      bytes: Buffer.byteLength(toText(holder[field])),
    })),
  );
}
