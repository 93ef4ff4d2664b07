import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { headlessTerminal, parsed } from "./headless-terminal.ts";
import { NEW_TERMINAL } from "./terminal-modes.ts";

const SLOW = {
  "a reset": "\u001bc",
  "a test picture": "\u001b#8",
  scrolling: "\u001b[99S",
  "inserting lines": "\u001b[99L",
};

describe("a terminal that nobody looks at", () => {
  it.each(Object.entries(SLOW))(
    "lets others have turns while it does much for few bytes: %s",
    async (_what, sequence) => {
      const terminal = await headlessTerminal({ cols: 200, rows: 60 }, 0, NEW_TERMINAL);
      const done = new AbortController();
      const writing = parsed(terminal, sequence.repeat(5_000)).finally(() => done.abort());
      const beganMs = performance.now();
      let turns = 0;
      let longestMs = 0;
      for (let lastMs = beganMs; !done.signal.aborted; turns += 1) {
        await nextTurn();
        const nowMs = performance.now();
        longestMs = Math.max(longestMs, nowMs - lastMs);
        lastMs = nowMs;
      }
      await writing;
      // All of it takes a second or so, and none of its parts more than a small part of that.
      expect(longestMs).toBeLessThan((performance.now() - beganMs) / 4);
      expect(turns).toBeGreaterThan(10);
      terminal.dispose();
    },
  );

  it("lets another terminal have its turn soon, and stops when nobody wants it any more", async () => {
    const slow = await headlessTerminal({ cols: 1_000, rows: 500 }, 0, NEW_TERMINAL);
    const other = await headlessTerminal({ cols: 80, rows: 24 }, 0, NEW_TERMINAL);
    const unwanted = new AbortController();
    // A minute, if it were not stopped.
    const writing = parsed(slow, "\u001bc".repeat(4_000), { signal: unwanted.signal });
    expect(await parsed(other, "here")).toBe(true);
    unwanted.abort();
    expect(await writing).toBe(false);
    slow.dispose();
    other.dispose();
  });

  it("stops when its time is over", async () => {
    const terminal = await headlessTerminal({ cols: 1_000, rows: 500 }, 0, NEW_TERMINAL);
    expect(await parsed(terminal, "\u001bc".repeat(4_000), { budgetMs: 100 })).toBe(false);
    terminal.dispose();
  });

  it("shows the same, wherever what is written is cut into pieces", async () => {
    const text = "\u001b[31mä€😀é\u001b[0m\u001b[3;5Hzwei\r\n".repeat(3_000);
    const terminal = await headlessTerminal({ cols: 500, rows: 200 }, 0, NEW_TERMINAL);
    await parsed(terminal, text);
    const { active } = terminal.buffer;
    expect(active.getLine(2)?.translateToString(true)).toBe("    zwei");
    expect(active.getLine(3)?.translateToString(true)).toBe("ä€😀é");
    terminal.dispose();
  });
});
