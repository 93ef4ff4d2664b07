import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TERMINAL_LIMITS } from "./contract/api.ts";
import { LOG_BLOCK_BYTES } from "./block-pool.ts";
import { EscapeScanner, TEXT_STATE } from "./escape-scanner.ts";
import { OutputLog, readText } from "./output-log.ts";
import { modesAfter, NEW_TERMINAL } from "./terminal-modes.ts";

const BLOCK = LOG_BLOCK_BYTES;

/** Bytes whose value tells their offset, so that a byte in the wrong place is seen. */
function bytesFrom(offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1)
    bytes[index] = ((offset + index) * 31 + ((offset + index) >> 8)) & 0xff;
  return bytes;
}

describe("the output log", () => {
  it("keeps bytes at offsets that do not move, however they arrive and are read", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 3 * BLOCK }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat({ max: 2 * BLOCK }), (pieces, seed, limit) => {
        const log = new OutputLog({ memoryBytes: 4 * BLOCK });
        for (const size of pieces) log.append(bytesFrom(log.end, size));
        const total = pieces.reduce((sum, size) => sum + size, 0);
        expect(log.end).toBe(total);
        expect(log.end - log.start).toBeLessThanOrEqual(4 * BLOCK);
        expect(log.end - log.start).toBeGreaterThanOrEqual(Math.min(total, 3 * BLOCK));
        const offset = total === 0 ? 0 : seed % (total + 1);
        const read = log.read(offset, limit);
        expect(read.offset).toBe(Math.max(offset, log.start));
        expect(read.dropped).toBe(read.offset - offset);
        expect(read.bytes.equals(bytesFrom(read.offset, Math.min(limit, total - read.offset)))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("copies what it is given", () => {
    const log = new OutputLog({ memoryBytes: BLOCK });
    const bytes = Buffer.from("first");
    log.append(bytes);
    bytes.fill(0);
    expect(log.read(0, 10).bytes.toString()).toBe("first");
  });

  it.each([
    ["fills its last block exactly", 2 * BLOCK, 0],
    ["is one byte over", 2 * BLOCK + 1, BLOCK],
    ["is one block over", 3 * BLOCK, BLOCK],
    ["is one block and one byte over", 3 * BLOCK + 1, 2 * BLOCK],
  ])("evicts whole blocks, oldest first: when it %s", (_when, bytes, start) => {
    const log = new OutputLog({ memoryBytes: 2 * BLOCK });
    log.append(bytesFrom(0, bytes));
    expect([log.start, log.end]).toEqual([start, bytes]);
    const read = log.read(0, bytes);
    expect(read.dropped).toBe(start);
    expect(read.bytes.equals(bytesFrom(start, bytes - start))).toBe(true);
  });

  it("keeps 8 MiB by default", () => {
    const log = new OutputLog();
    for (let blocks = 0; blocks < 200; blocks += 1) log.append(Buffer.alloc(BLOCK));
    expect(log.end - log.start).toBe(TERMINAL_LIMITS.logMemoryBytes);
    expect(TERMINAL_LIMITS.logMemoryBytes).toBe(8 * 1024 * 1024);
  });

  it("reads nothing at its end and refuses an offset past it", () => {
    const log = new OutputLog({ memoryBytes: BLOCK });
    log.append(Buffer.from("abc"));
    expect(log.read(3, 10)).toEqual({ bytes: Buffer.alloc(0), offset: 3, dropped: 0 });
    expect(() => log.read(4, 10)).toThrow("offset 4 is past the end of the output (3)");
  });

  it.each([0, -BLOCK, BLOCK - 1, BLOCK + 1, 1.5, Number.NaN])("refuses a limit of %s bytes", (limit) => {
    expect(() => new OutputLog({ memoryBytes: limit })).toThrow(RangeError);
  });
});

describe("where text begins", () => {
  it("[B1] is told at every offset that is kept, however much before it is gone", () => {
    const fragments = [
      "abc\r\n",
      "\u001b[31m",
      "\u001b]0;title\u0007",
      "\u001bPq",
      "\u001b\\",
      "é©",
      "\u0090",
      "\u009c",
    ];
    const output = fc.array(
      fc.oneof(
        fc.constantFrom(...fragments),
        fc.constantFrom("x", "#").map((char) => char.repeat(30_000)),
      ),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(output, fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), (parts, seeds) => {
        const log = new OutputLog({ memoryBytes: 2 * BLOCK });
        for (const part of parts) log.append(Buffer.from(part));
        const bytes = Buffer.from(parts.join(""));
        const offsets = seeds.map((seed) => log.start + (seed % (log.end - log.start + 1)));
        for (const offset of [log.start, log.end, ...offsets]) {
          const scanner = new EscapeScanner();
          scanner.take(bytes.subarray(0, offset));
          let wanted: number | undefined = offset;
          if (scanner.state !== TEXT_STATE) {
            const end = offset + scanner.take(bytes.subarray(offset), true);
            wanted = scanner.state === TEXT_STATE ? end : undefined;
          }
          expect(log.textFrom(offset)).toBe(wanted);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("is not told of what is gone", () => {
    const log = new OutputLog({ memoryBytes: BLOCK });
    log.append(Buffer.alloc(2 * BLOCK + 1, "x"));
    expect(() => log.textFrom(BLOCK - 1)).toThrow(RangeError);
    expect(() => log.textFrom(log.end + 1)).toThrow(RangeError);
  });
});

describe("what the terminal still heeds", () => {
  it("is told at every offset that is kept, however much before it is gone", () => {
    const fragments = [
      "\u001b[?1049h",
      "\u001b[?1;2004h",
      "\u001b[?47l",
      "\u001b(0",
      "\u001b)0",
      "\u000e",
      "\u001bc",
    ];
    const output = fc.array(
      fc.oneof(
        fc.constantFrom(...fragments),
        fc.integer({ min: 1, max: 66_000 }).map((length) => "x".repeat(length)),
      ),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(output, fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), (parts, seeds) => {
        const log = new OutputLog({ memoryBytes: 2 * BLOCK });
        for (const part of parts) log.append(Buffer.from(part));
        const bytes = Buffer.from(parts.join(""));
        const offsets = seeds.map((seed) => log.start + (seed % (log.end - log.start + 1)));
        for (const offset of [log.start, log.end, ...offsets])
          expect(log.modesAt(offset)).toEqual(modesAfter(bytes.subarray(0, offset), NEW_TERMINAL));
        expect(log.modesAt(0)).toEqual(log.modesAt(log.start));
      }),
      { numRuns: 60 },
    );
  });
});

describe("reading text", () => {
  const TEXT = "ä€😀 plain \u001b[31mred\u001b[0m 日本";

  it("gives the same text whatever the limit and wherever the output was cut on its way", () => {
    const bytes = Buffer.from(TEXT);
    for (let limit = 4; limit <= bytes.length; limit += 1)
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        const log = new OutputLog({ memoryBytes: BLOCK });
        let text = "";
        let offset = 0;
        const readAll = (final: boolean) => {
          for (let more = true; more;) {
            const read = readText(log, offset, limit, final);
            expect(read.offset).toBe(offset);
            text += read.text;
            offset = read.next;
            more = read.more;
          }
        };
        log.append(bytes.subarray(0, cut));
        readAll(false);
        expect(TEXT.startsWith(text)).toBe(true);
        log.append(bytes.subarray(cut));
        readAll(true);
        expect(text).toBe(TEXT);
        expect(offset).toBe(bytes.length);
      }
  });

  it("holds back half a character while its rest may come, and says that nothing can be read now", () => {
    const log = new OutputLog({ memoryBytes: BLOCK });
    log.append(Buffer.from([0x61, 0xe2, 0x82]));
    expect(readText(log, 0, 100, false)).toEqual({ text: "a", offset: 0, next: 1, dropped: 0, more: false });
    expect(readText(log, 1, 100, false)).toEqual({ text: "", offset: 1, next: 1, dropped: 0, more: false });
  });

  it("gives half a character as U+FFFD when nothing more will come", () => {
    const log = new OutputLog({ memoryBytes: BLOCK });
    log.append(Buffer.from([0x61, 0xe2, 0x82]));
    expect(readText(log, 0, 100, true)).toEqual({
      text: "a\ufffd",
      offset: 0,
      next: 3,
      dropped: 0,
      more: false,
    });
  });

  it("does not begin in the middle of a character, wherever it is asked to", () => {
    const log = new OutputLog({ memoryBytes: BLOCK });
    const text = "ä€😀z";
    log.append(Buffer.from(text));
    for (let offset = 0; offset <= log.end; offset += 1) {
      const read = readText(log, offset, 100, false);
      expect(text.endsWith(read.text)).toBe(true);
      expect(read).toMatchObject({ offset: log.end - Buffer.byteLength(read.text), dropped: 0 });
    }
    log.append(Buffer.from([0xa4, 0x7a, 0xc3, 0xa4, 0xa4]));
    for (const offset of [10, 14]) expect(readText(log, offset, 1, true).text).toBe("\ufffd");
  });

  it("does not begin in the middle of a character whose beginning was evicted, and counts its rest as dropped", () => {
    const log = new OutputLog({ memoryBytes: 2 * BLOCK });
    log.append(Buffer.alloc(BLOCK - 1, "x"));
    log.append(Buffer.from("€yz"));
    log.append(Buffer.alloc(BLOCK, "w"));
    expect(log.start).toBe(BLOCK);
    expect(readText(log, 7, 4, false)).toEqual({
      text: "yz",
      offset: BLOCK + 2,
      next: BLOCK + 4,
      dropped: BLOCK + 2 - 7,
      more: true,
    });
  });
});
