/** A value as SQLite gives it, integers exactly. */
export type SqlValue = null | bigint | number | string | Uint8Array;

/** The value as text: "" for NULL, base64 for bytes. A real number always shows that it is one. */
export function valueText(value: SqlValue): string {
  if (value === null) return "";
  if (typeof value === "number") return realText(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : String(value);
}

/** The value as JSON text. Infinity, which JSON has no word for, is a text. */
export function valueJson(value: SqlValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return realText(value);
  return JSON.stringify(valueText(value));
}

function realText(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
