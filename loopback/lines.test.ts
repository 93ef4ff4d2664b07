import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { readLines } from "./lines.ts";

async function linesOf(chunks: (string | Buffer)[], maxChars = 10): Promise<(string | undefined)[]> {
  const stream = new PassThrough();
  const lines: (string | undefined)[] = [];
  readLines(stream, maxChars, (line) => lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await finished(stream);
  return lines;
}

describe("readLines", () => {
  it.each<[string, (string | Buffer)[], (string | undefined)[]]>([
    ["several lines in one chunk", ["a\nb\n\nc\n"], ["a", "b", "", "c"]],
    ["a line in several chunks", ["a", "b", "\n", "c\nd"], ["ab", "c"]],
    ["a character in two chunks", [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], ["é"]],
    ["a line of exactly the limit", ["0123456789\n"], ["0123456789"]],
    ["a line over it, in one chunk", ["0123456789x\nb\n"], [undefined, "b"]],
    ["a line over it, in many", ["01234", "56789", "x", "y", "\nb\n"], [undefined, "b"]],
    ["a line over it whose end is short", ["0123456789x", "\n", "b\n"], [undefined, "b"]],
    ["a line that never ends", ["a\n", "x".repeat(1_000)], ["a"]],
  ])("reads %s", async (_title, chunks, lines) => {
    expect(await linesOf(chunks)).toStrictEqual(lines);
  });
});
