import { Terminal } from "@xterm/xterm";
import { expect, test } from "vitest";
import { scrollBack, type ScrolledBack } from "./scroll-back.ts";

const SCROLLBACK = 100;
const ROWS = 5;
/** It was scrolled to line 20 of 50, after 1,000 bytes. */
const LEFT: ScrolledBack = { line: 20, fromEnd: 26, full: false, outputBytes: 1_000 };

function drawn(to: ScrolledBack | undefined, outputBytes = 1_000) {
  const terminal = new Terminal({ cols: 20, rows: ROWS, scrollback: SCROLLBACK, allowProposedApi: true });
  const printed = { bytes: outputBytes, lines: 0 };
  const restoring = scrollBack(terminal, to, () => printed.bytes);
  const replay = async (lines: number) => {
    const text = Array.from({ length: lines }, (_, at) => `\r\n${printed.lines + at + 1}`).join("");
    printed.lines += lines;
    await new Promise<void>((parsed) => terminal.write(text, parsed));
    restoring.replayed();
  };
  const first = () =>
    terminal.buffer.active.getLine(terminal.buffer.active.viewportY)?.translateToString(true);
  return { terminal, restoring, replay, first, printed };
}

test("a terminal that is drawn again is scrolled back to the line at which it was left", async () => {
  const { restoring, replay, first } = drawn(LEFT);
  await replay(10);
  expect(restoring.isUnderway).toBe(true);
  await replay(40);
  expect(first()).toBe("20");
  expect(restoring.isUnderway).toBe(false);
});

test("a terminal that was left at the first line is not there before anything is drawn", async () => {
  const { restoring, replay, first } = drawn({ ...LEFT, line: 0 });
  expect(restoring.isUnderway).toBe(true);
  await replay(50);
  expect(first()).toBe("");
  expect(restoring.isUnderway).toBe(false);
});

test("a terminal keeps the line when more was printed since than it holds", async () => {
  const { restoring, replay, first } = drawn(LEFT, 9_000);
  await replay(50);
  await replay(SCROLLBACK + ROWS - 41);
  await replay(5);
  expect(first()).toBe("20");
  expect(restoring.isUnderway).toBe(false);
});

test("a full terminal is scrolled back when nothing was printed since, and its position is not given up midway", async () => {
  const { restoring, replay, first } = drawn({ line: 60, fromEnd: 40, full: true, outputBytes: 1_000 });
  await replay(120);
  expect(restoring.isUnderway).toBe(true);
  await replay(80);
  // The last of 200 is in the last of 5 rows: 196 would be at the top.
  expect(first()).toBe("156");
});

test("a full terminal stays at its end when something was printed since", async () => {
  const { restoring, replay, first } = drawn({ line: 60, fromEnd: 40, full: true, outputBytes: 999 });
  expect(restoring.isUnderway).toBe(false);
  await replay(200);
  expect(first()).toBe("196");
});

test("a line is not counted from the oldest of a log that was cut", async () => {
  const cut = drawn(LEFT, 9_000);
  cut.restoring.cut();
  await cut.replay(50);
  expect(cut.first()).toBe("46");
  expect(cut.restoring.isUnderway).toBe(false);
  const same = drawn(LEFT);
  same.restoring.cut();
  await same.replay(80);
  expect(same.first()).toBe("50");
});

test("where the person scrolls, nothing else does", async () => {
  const { terminal, restoring, replay, first } = drawn(LEFT);
  await replay(40);
  terminal.scrollToLine(30);
  restoring.giveUp();
  await replay(40);
  expect(first()).toBe("30");
  expect(restoring.isUnderway).toBe(false);
});
