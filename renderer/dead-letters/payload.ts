import { parse } from "lossless-json";

/** A dead letter's bytes as far as they can be read. `hex` is for bytes that are no text. */
export type Payload =
  | { readonly kind: "json"; readonly value: unknown; readonly bytes: number }
  | { readonly kind: "text"; readonly text: string; readonly bytes: number }
  | { readonly kind: "hex"; readonly text: string; readonly bytes: number; readonly cut: boolean }
  | { readonly kind: "undecodable"; readonly text: string };

/** As many bytes as are drawn in hexadecimal. */
export const HEX_BYTES = 2_048;

/** Decodes base64 strictly, then reads JSON with every digit, else UTF-8 text, else hexadecimal. */
export function decodePayload(base64: string): Payload {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return { kind: "undecodable", text: base64 };
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return hexOf(bytes);
  }
  // Control characters other than tab and line ends: not meant to be read as text.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text)) return hexOf(bytes);
  try {
    return { kind: "json", value: parse(text), bytes: bytes.length };
  } catch {
    return { kind: "text", text, bytes: bytes.length };
  }
}

function hexOf(bytes: Uint8Array): Payload {
  const shown = [...bytes.subarray(0, HEX_BYTES)].map((byte) => byte.toString(16).padStart(2, "0"));
  const lines: string[] = [];
  for (let at = 0; at < shown.length; at += 16) lines.push(shown.slice(at, at + 16).join(" "));
  return { kind: "hex", text: lines.join("\n"), bytes: bytes.length, cut: bytes.length > HEX_BYTES };
}
