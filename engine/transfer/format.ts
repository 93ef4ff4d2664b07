import * as z from "zod/v4";
import type { Bindable, Database } from "../store/database.ts";
import { TRANSFER_TABLES, type TransferTable } from "./tables.ts";

/**
 * An export is JSON lines: a header, a line for each row (`{"table": ..., "row": {...}}`, NULLs left out, bytes as
 * `{"$base64": ...}`), a line for each secret's name, and an end that counts the rows and holds the SHA-256 of all before.
 */
export const FORMAT = "ironbridge-engine-export";
export const FORMAT_VERSION = 1;

export const Header = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  environment: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/),
  schema: z.number().int(),
  exported_at: z.iso.datetime(),
});
export const RowLine = z.strictObject({ table: z.string(), row: z.record(z.string(), z.unknown()) });
export const SecretLine = z.strictObject({ secret: z.string() });
export const EndLine = z.strictObject({
  end: z.record(z.string(), z.number().int()),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const Bytes = z.strictObject({ $base64: z.base64() });

export interface Column {
  name: string;
  type: string;
  required: boolean;
}

/** Columns of a table that travel, as the schema says. */
export function columnsOf(db: Database, table: TransferTable): Column[] {
  return db
    .prepare<{ name: string; type: string; notnull: number }>(
      'select name, type, "notnull" from pragma_table_info(?)',
    )
    .all(table.name)
    .filter(({ name }) => name !== table.counter || isReferredTo(table.name))
    .map(({ name, type, notnull }) => ({ name, type: type.toLowerCase(), required: notnull === 1 }));
}

/** A counter that rows of other tables name has to travel, so that they can follow it. */
export function isReferredTo(table: string): boolean {
  return TRANSFER_TABLES.some(({ refs }) => Object.values(refs ?? {}).includes(table));
}

/** A row as its line has it. */
export function encodeRow(columns: readonly Column[], row: Record<string, unknown>): Record<string, unknown> {
  const members = columns.flatMap(({ name }) => {
    const value = row[name];
    if (value === null || value === undefined) return [];
    return [[name, value instanceof Uint8Array ? { $base64: Buffer.from(value).toString("base64") } : value]];
  });
  return Object.fromEntries(members) as Record<string, unknown>;
}

/** A line's row as the store takes it. @throws Error that names the field */
export function decodeRow(
  table: TransferTable,
  columns: readonly Column[],
  row: Record<string, unknown>,
): Map<string, Bindable> {
  const unknown = Object.keys(row).find((name) => !columns.some((column) => column.name === name));
  if (unknown !== undefined) throw new Error(`row.${unknown}: is not known`);
  return new Map(
    columns.map((column) => {
      const value = decodeValue(column, row[column.name]);
      if (typeof value === "string" && table.json?.includes(column.name) === true && !isJson(value))
        throw new Error(`row.${column.name}: must be JSON text`);
      return [column.name, value];
    }),
  );
}

function decodeValue({ name, type, required }: Column, value: unknown): Bindable {
  if (value === undefined) {
    if (required) throw new Error(`row.${name}: is required`);
    return null;
  }
  if (type === "text" && typeof value === "string") return value;
  if (type === "integer" && Number.isSafeInteger(value)) return value as number;
  if (type === "real" && typeof value === "number") return value;
  if (type === "blob") {
    const bytes = Bytes.safeParse(value);
    if (bytes.success) return Buffer.from(bytes.data.$base64, "base64");
  }
  throw new Error(`row.${name}: must be ${type}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
