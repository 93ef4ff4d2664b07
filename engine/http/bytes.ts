import { isUtf8 } from "node:buffer";
import { ApiError } from "../errors.ts";
import { readJson, toJsonText, type JsonText } from "../json/json-text.ts";

/** Protojson's `bytes` that hold JSON: base64 of the text. */
export function toBytes(json: string): string {
  return Buffer.from(json, "utf8").toString("base64");
}

/**
 * JSON out of a `bytes` field: base64 of JSON text, or, as the JS SDK 0.29.0 sends it, the JSON text itself or the value.
 * Text that is both is taken as base64 only when what it stands for is JSON.
 * @throws ApiError invalid_argument that names `field`
 */
export function fromBytes(value: unknown, field: string): JsonText {
  if (value === undefined) throw new ApiError("invalid_argument", `${field}: is required`);
  if (typeof value !== "string") return toJsonText(value);
  const bytes = Buffer.from(value, "base64");
  const isBase64 = value !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(value) && isUtf8(bytes);
  for (const text of isBase64 ? [bytes.toString("utf8"), value] : [value]) {
    try {
      return toJsonText(readJson(text));
    } catch {
      // Not this one.
    }
  }
  throw new ApiError("invalid_argument", `${field}: must be base64 of JSON text`);
}
