import { describe, expect, it } from "vitest";
import { plainText, screenText, textRange } from "./plain-text.ts";

const bytes = (text: string) => Buffer.from(text, "utf8");
const read = async (text: string) => {
  const { text: lines, unfinished } = await plainText(bytes(text));
  return lines + unfinished;
};

describe("plain text", () => {
  it.each([
    [
      "colours and styles",
      "\u001b[1;31mred\u001b[0m and \u001b[38;5;10mgreen\u001b[0m\r\n",
      "red and green\n",
    ],
    ["a progress bar", "10%\r50%\r100%\r\ndone\r\n", "100%\ndone\n"],
    ["a bar that clears its line", "fetching\r\u001b[2Kdone\r\n", "done\n"],
    [
      "lines that are redrawn with the cursor",
      "a 1\r\nb 1\r\n\u001b[2Aa 2\u001b[K\r\nb 2\u001b[K\r\n",
      "a 2\nb 2\n",
    ],
    ["backspaces", "abd\bc\r\n", "abc\n"],
    [
      "titles, links and clipboard",
      "\u001b]0;t\u0007\u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\ \u001b]52;c;eA==\u0007end\r\n",
      "link end\n",
    ],
    ["tabs", "a\tb\r\n", "a       b\n"],
    ["characters beyond ASCII", "ä € 😀 漢字 👨‍👩‍👧\r\n", "ä € 😀 漢字 👨‍👩‍👧\n"],
    ["empty lines", "a\r\n\r\n\r\nb\r\n", "a\n\n\nb\n"],
    ["an unfinished line", "Password: ", "Password: "],
    ["nothing", "", ""],
  ])("shows what a person would read: %s", async (_what, output, wanted) => {
    expect(await read(output)).toBe(wanted);
  });

  it("does not cut long lines, nor lose any of many", async () => {
    const long = "0123456789".repeat(5_000);
    expect(await read(`${long}\r\nend\r\n`)).toBe(`${long}\nend\n`);
    const many = Array.from({ length: 20_000 }, (_, line) => `line ${line}`);
    expect(await read(many.map((line) => `${line}\r\n`).join(""))).toBe(`${many.join("\n")}\n`);
  });

  it.each([
    ["a style", "\u001b[1;31m"],
    ["a style that begins with one character", "\u009b1;31m"],
    ["a link", "\u001b]8;;https://x\u001b\\"],
    ["a character set", "\u001b(B"],
  ])("is the same wherever %s is cut between two batches of a long line", async (_what, sequence) => {
    for (let cut = 0; cut <= Buffer.byteLength(sequence); cut += 1) {
      const before = "x".repeat(16_384 - cut);
      expect(await read(`${before}${sequence}end\r\n`), `cut after ${cut} bytes`).toBe(`${before}end\n`);
    }
  });

  it.each([
    ["an accent", "e\u0301"],
    ["a family", "👨‍👩‍👧"],
    ["a wide character that does not fit at the edge", `${"a".repeat(37)}漢`],
    ["a flag", "🇩🇪"],
  ])("is the same wherever a long line wraps and is cut: %s", async (_what, cluster) => {
    for (let before = 0; before < 4; before += 1) {
      const line = `${"x".repeat(before)}${cluster.repeat(4_000)}`;
      expect((await read(line)) === line, `after ${before}`).toBe(true);
    }
  });

  it("keeps apart what tabs keep apart, however long the line", async () => {
    const cells = Array.from({ length: 200 }, (_, cell) => `cell${cell}`);
    expect(
      (await read(`${cells.join("\t")}\r\nä\tb\r\n`)).split("\n").map((line) => line.split(/ +/)),
    ).toEqual([cells, ["ä", "b"], [""]]);
  });

  it("keeps what was printed around a full-screen program", async () => {
    expect(await read("before\r\n\u001b[?1049h\u001b[Hfull screen\u001b[?1049lafter\r\n")).toBe(
      "before\nafter\n",
    );
  });
});

describe("the range that is turned into text", () => {
  it.each([
    ["ends after the last line break", "one\r\ntwo\r\nthr", { skip: 0, length: 10 }],
    ["leaves a sequence that is not closed", "abc\u001b[3", { skip: 0, length: 3 }],
    ["leaves a title that is not closed", "abc\u001b]0;ti", { skip: 0, length: 3 }],
    ["takes closed sequences", "abc\u001b[31mx", { skip: 0, length: 9 }],
    ["passes over what was drawn over", "10%\r20%\r30%", { skip: 7, length: 7 }],
    ["keeps a line whose break may follow", "a line\r", { skip: 0, length: 7 }],
  ])("%s", (_what, text, wanted) => {
    expect(textRange(bytes(text))).toEqual({ ...wanted, opens: false });
  });
});

describe("the screen", () => {
  it("is what a terminal of that size shows, with its cursor", async () => {
    const size = { cols: 10, rows: 3 };
    const screen = await screenText(bytes("1\r\n2\r\n3\r\n\u001b[31m4\u001b[0m> "), size);
    expect(screen).toEqual({ lines: ["2", "3", "4> "], cursor: { row: 2, column: 3 }, full_screen: false });
    const full = await screenText(bytes("x\u001b[?1049h\u001b[2;3Hhello"), size);
    expect(full).toMatchObject({ lines: ["", "  hello"], full_screen: true });
  });
});
