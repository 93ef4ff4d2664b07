import { Terminal } from "@xterm/xterm";
import { describe, expect, test } from "vitest";
import { keepSelection } from "./keep-selection.ts";

/** xterm selects in a terminal that is open in a window only: this one keeps and drops what is selected in it as that does. */
async function setUp(output: string, options: { rows: number; scrollback: number }) {
  const terminal = new Terminal({ cols: 10, allowProposedApi: true, ...options });
  await new Promise<void>((parsed) => terminal.write(output, parsed));
  let range: ReturnType<Terminal["getSelectionPosition"]>;
  terminal.getSelectionPosition = () => range;
  terminal.hasSelection = () => range !== undefined;
  terminal.select = (x, y, cells) =>
    void (range = { start: { x, y }, end: { x: (x + cells) % 10, y: y + Math.floor((x + cells) / 10) } });
  terminal.clearSelection = () => void (range = undefined);
  // With other columns alone it keeps it, at the same place.
  terminal.onResize(({ rows }) => {
    if (rows !== options.rows) terminal.clearSelection();
  });
  return {
    terminal,
    selected: () =>
      range && {
        line: terminal.buffer.active.getLine(range.start.y)?.translateToString(true),
        from: range.start.x,
        to: [range.end.x, range.end.y - range.start.y],
      },
  };
}

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\r\n");

describe("a selection", () => {
  test("is kept when a terminal gets lower or higher", async () => {
    for (const rows of [3, 5, 12]) {
      const { terminal, selected } = await setUp(lines(20), { rows: 8, scrollback: 100 });
      terminal.select(1, 15, 13);
      keepSelection(terminal, () => terminal.resize(10, rows));
      expect(selected()).toEqual({ line: "line 15", from: 1, to: [4, 1] });
      terminal.dispose();
    }
  });

  test("stays with its lines when the oldest go with the rows", async () => {
    const { terminal, selected } = await setUp(lines(50), { rows: 8, scrollback: 10 });
    const row = Array.from({ length: terminal.buffer.active.length }, (_, at) => at).find(
      (at) => terminal.buffer.active.getLine(at)?.translateToString(true) === "line 45",
    );
    terminal.select(0, row ?? -1, 4);
    keepSelection(terminal, () => terminal.resize(10, 5));
    expect(selected()).toEqual({ line: "line 45", from: 0, to: [4, 0] });
    terminal.dispose();
  });

  test("is dropped when its lines go, or are broken otherwise", async () => {
    const low = await setUp(lines(50), { rows: 8, scrollback: 0 });
    low.terminal.select(0, 0, 4);
    keepSelection(low.terminal, () => low.terminal.resize(10, 5));
    expect(low.selected()).toBeUndefined();
    low.terminal.dispose();
    for (const rows of [5, 8]) {
      const wide = await setUp(lines(20), { rows: 8, scrollback: 100 });
      wide.terminal.select(0, 15, 4);
      keepSelection(wide.terminal, () => wide.terminal.resize(20, rows));
      expect(wide.selected()).toBeUndefined();
      wide.terminal.dispose();
    }
  });

  test("is not made where there was none", async () => {
    const { terminal, selected } = await setUp(lines(20), { rows: 8, scrollback: 100 });
    keepSelection(terminal, () => terminal.resize(10, 5));
    expect(terminal.rows).toBe(5);
    expect(selected()).toBeUndefined();
    terminal.dispose();
  });
});
