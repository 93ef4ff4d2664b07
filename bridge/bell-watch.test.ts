import { describe, expect, it } from "vitest";
import { BellWatch } from "./bell-watch.ts";

const OUTPUTS: [string, string, number][] = [
  ["plain bells", "a\u0007b\u0007\u0007", 3],
  ["no bell", "a\u001b[31mb\u001b[0m", 0],
  ["a title that a bell ends", "\u001b]0;title\u0007", 0],
  ["a bell after such a title", "\u001b]0;title\u0007x\u0007", 1],
  ["a title that ESC \\ ends, then a bell", "\u001b]0;title\u001b\\\u0007", 1],
  ["a bell after a colour", "\u001b[31m\u0007", 1],
  ["two links and a bell", "\u001b]8;;x\u0007a\u001b]8;;\u0007\u0007", 1],
];

describe("the bell", () => {
  it.each(OUTPUTS)("rings for %s", (_what, output, rings) => {
    const watch = new BellWatch();
    watch.take(Buffer.from(output));
    expect(watch.count).toBe(rings);
  });

  it.each(OUTPUTS)("[B6] rings the same wherever output is cut: %s", (_what, output, rings) => {
    const bytes = Buffer.from(output);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const watch = new BellWatch();
      watch.take(bytes.subarray(0, cut));
      watch.take(bytes.subarray(cut));
      expect(watch.count, `cut at ${cut}`).toBe(rings);
    }
    const single = new BellWatch();
    for (const byte of bytes) single.take(Uint8Array.of(byte));
    expect(single.count).toBe(rings);
  });

  it("keeps little of a string that never ends", () => {
    const watch = new BellWatch();
    watch.take(Buffer.from("\u001b]0;"));
    for (let piece = 0; piece < 1_000; piece += 1) watch.take(Buffer.alloc(1_024, "x"));
    watch.take(Uint8Array.of(7));
    expect(watch.count).toBe(1);
  });
});
