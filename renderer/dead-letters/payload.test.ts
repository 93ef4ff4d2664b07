import { describe, expect, test } from "vitest";
import { jsonText } from "../json/exact.ts";
import { decodePayload, HEX_BYTES } from "./payload.ts";

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

describe("decodePayload", () => {
  test("JSON keeps every digit and every character", () => {
    const text = '{"n":9223372036854775807,"name":"Zoë 🌉"}';
    const payload = decodePayload(base64(text));
    expect(payload.kind).toBe("json");
    expect(payload.kind === "json" && jsonText(payload.value)).toBe(
      '{\n  "n": 9223372036854775807,\n  "name": "Zoë 🌉"\n}',
    );
  });

  test("text that is no JSON stays text", () => {
    expect(decodePayload(base64("hello: wörld\n"))).toEqual({
      kind: "text",
      text: "hello: wörld\n",
      bytes: 14,
    });
  });

  test("bytes that are no UTF-8, or hold control characters, are shown in hexadecimal", () => {
    expect(decodePayload(btoa("\u0000\u0001\u00ff"))).toEqual({
      kind: "hex",
      text: "00 01 ff",
      bytes: 3,
      cut: false,
    });
    expect(decodePayload(base64("a\u001bb")).kind).toBe("hex");
  });

  test("many bytes are cut and say so", () => {
    const payload = decodePayload(btoa("\u00ff".repeat(HEX_BYTES + 1)));
    expect(payload).toMatchObject({ kind: "hex", bytes: HEX_BYTES + 1, cut: true });
  });

  test("what is no base64 is shown as it came", () => {
    expect(decodePayload("%%%")).toEqual({ kind: "undecodable", text: "%%%" });
  });
});
