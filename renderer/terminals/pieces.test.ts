import { expect, test } from "vitest";
import { PIECE_CHARS, pieces } from "./pieces.ts";

test.each([0, 1, PIECE_CHARS - 1, PIECE_CHARS, PIECE_CHARS + 1, 3 * PIECE_CHARS, 3 * PIECE_CHARS + 7])(
  "[B4] %i chars are given in pieces that lose nothing and hold nobody up",
  (length) => {
    const text = Array.from({ length }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
    const parts = pieces(text);
    expect(parts.join("")).toBe(text);
    expect(parts.length).toBe(Math.max(1, Math.ceil(length / PIECE_CHARS)));
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(PIECE_CHARS);
  },
);
