import { Terminal } from "@xterm/xterm";
import { describe, expect, test } from "vitest";
import { markSelection } from "./selection-mark.ts";

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\r\n");

/** xterm selects in a terminal that is open in a window only: here it is said what is selected. */
async function setUp(output: string) {
  const terminal = new Terminal({ cols: 10, rows: 5, scrollback: 20, allowProposedApi: true });
  const write = (text: string) => new Promise<void>((parsed) => terminal.write(text, parsed));
  await write(output);
  let range: ReturnType<Terminal["getSelectionPosition"]>;
  terminal.getSelectionPosition = () => range;
  const select = (x: number, y: number, toX: number, toY: number) =>
    void (range = { start: { x, y }, end: { x: toX, y: toY } });
  return { terminal, write, select, drop: () => void (range = undefined) };
}

describe("a marked selection", () => {
  test("is the one that is selected, until another is or none", async () => {
    const { terminal, select, drop } = await setUp(lines(20));
    select(1, 15, 4, 16);
    const mark = markSelection(terminal);
    expect(mark?.isSelected()).toBe(true);
    for (const [x, y, toX, toY] of [
      [2, 15, 4, 16],
      [1, 14, 4, 15],
      [1, 15, 5, 16],
      [1, 15, 4, 15],
    ] as const) {
      select(x, y, toX, toY);
      expect(mark?.isSelected()).toBe(false);
    }
    drop();
    expect(mark?.isSelected()).toBe(false);
    terminal.dispose();
  });

  test("still is when its lines move, and what is in them is another text", async () => {
    const { terminal, write, select } = await setUp(lines(24));
    select(0, 21, 4, 21);
    const mark = markSelection(terminal);
    // Four lines more than there is room for, of which one is in place of the marked one.
    await write("\u001b[2A\rother\r\n\n\n\n\n\n\n");
    expect(mark?.isSelected()).toBe(false);
    select(0, 17, 4, 17);
    expect(mark?.isSelected()).toBe(true);
    mark?.forget();
    expect(mark?.isSelected()).toBe(false);
    terminal.dispose();
  });

  test("is none where nothing is selected", async () => {
    const { terminal } = await setUp(lines(20));
    expect(markSelection(terminal)).toBeUndefined();
    terminal.dispose();
  });
});
