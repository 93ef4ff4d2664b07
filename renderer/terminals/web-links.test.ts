import { Terminal } from "@xterm/xterm";
import { describe, expect, test } from "vitest";
import { linkBefore, loadWebLinks } from "./web-links.ts";

const COLS = 20;

/** What the keyboard goes through, from the place on, until it is at the first one again. */
async function walk(output: string, from?: { row: number; column: number }, cols = COLS): Promise<string[]> {
  const terminal = new Terminal({ cols, rows: 5, allowProposedApi: true });
  try {
    const links = loadWebLinks(terminal, () => {});
    await new Promise<void>((parsed) => terminal.write(output, parsed));
    const seen: string[] = [];
    let place = from ?? { row: terminal.buffer.active.length - 1, column: cols };
    for (;;) {
      const link = linkBefore(terminal, links, place);
      const text = link === undefined ? "none" : `${link.text} ${link.row}:${link.column}+${link.cells}`;
      if (link === undefined || seen.includes(text)) return seen;
      seen.push(text);
      place = link;
    }
  } finally {
    terminal.dispose();
  }
}

describe("links by keyboard", () => {
  test("[B6] go from the newest to the oldest, and on with the newest", async () => {
    expect(await walk("http://a.b\r\nno link\r\nhttp://c.d http://e.f\r\n")).toEqual([
      "http://e.f 2:11+10",
      "http://c.d 2:0+10",
      "http://a.b 0:0+10",
    ]);
  });

  test("[B6] begin in the middle where the view ends there, and reach what is below it, too", async () => {
    const output = "http://a.b\r\nhttp://c.d\r\nhttp://e.f\r\n";
    expect(await walk(output, { row: 1, column: COLS })).toEqual([
      "http://c.d 1:0+10",
      "http://a.b 0:0+10",
      "http://e.f 2:0+10",
    ]);
    expect(await walk("no link\r\nhttp://e.f", { row: 0, column: COLS })).toEqual(["http://e.f 1:0+10"]);
  });

  test("[B6] are those of the mouse: wrapped ones are one link, what stands around one is no part of it", async () => {
    expect(await walk(`see (http://a.example/${"x".repeat(30)}), http:// and http://[`)).toEqual([
      `http://a.example/${"x".repeat(30)} 0:5+47`,
    ]);
  });

  test("[B6] one that fills its last line ends there, one with wide characters counts cells", async () => {
    expect(await walk("http://aaa.bbb.ccc/d\r\n")).toEqual(["http://aaa.bbb.ccc/d 0:0+20"]);
    expect(await walk("http://a.b/漢字 x")).toEqual(["http://a.b/漢字 0:0+15"]);
  });

  test.each([2, 3, 7])("[B6] are found in a terminal of %i columns", async (cols) => {
    expect(await walk("x https://a.b\r\n\r\n\r\n\r\n", undefined, cols)).toEqual([
      `https://a.b ${Math.floor(2 / cols)}:${2 % cols}+11`,
    ]);
  });

  test.each(["", "no link\r\nhttp:/ /\r\n"])("[B6] are none in %j", async (output) => {
    expect(await walk(output)).toEqual([]);
  });
});
