import { Terminal } from "@xterm/xterm";
import { describe, expect, test, vi } from "vitest";
import { createFeed, LEAST_PIECE_CHARS, MOST_PIECE_CHARS, nextPieceChars, TURN_MS } from "./feed.ts";

/** A terminal that parses when it is told to, as much in a turn as it is given; each piece takes `pieceMs`. */
function setUp(pieceMs = 1) {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const pieces: string[] = [];
  const given: (() => void)[] = [];
  const terminal = {
    write(chars: string, parsed: () => void) {
      given.push(() => {
        nowMs += pieceMs;
        pieces.push(chars);
        parsed();
      });
    },
  } as unknown as Terminal;
  const close = vi.fn<() => void>();
  const feed = createFeed(terminal, { nowMs: () => nowMs, next: (turn) => void turns.push(turn), close });
  /** One turn of the event loop. @returns how long it took, in ms */
  const turn = () => {
    const beganMs = nowMs;
    turns.shift()?.();
    for (let parse = given.shift(); parse !== undefined; parse = given.shift()) parse();
    return nowMs - beganMs;
  };
  const toEnd = () => {
    while (turns.length > 0) turn();
  };
  return { feed, pieces, turn, toEnd, turns, close };
}

const text = (length: number) =>
  Array.from({ length }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");

describe("a feed", () => {
  test.each([0, 1, LEAST_PIECE_CHARS, LEAST_PIECE_CHARS + 1, 500_000])(
    "[B4] %i chars are given in pieces that lose nothing, and told when they are parsed",
    (length) => {
      const { feed, pieces, toEnd } = setUp();
      const order: string[] = [];
      feed.write(text(length), () => order.push("first"));
      feed.between(() => order.push(`between after ${pieces.join("").length}`));
      feed.write("end", () => order.push("end"));
      toEnd();
      expect(pieces.join("")).toBe(`${text(length)}end`);
      expect(order).toEqual(["first", `between after ${length}`, "end"]);
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(MOST_PIECE_CHARS);
    },
  );

  test("[B4] one turn of the event loop is not held up for longer than its share and one piece", () => {
    const { feed, turn, turns } = setUp(3);
    feed.write(text(200_000));
    while (turns.length > 0) expect(turn()).toBeLessThanOrEqual(TURN_MS + 2 * 3);
  });

  test("[B4] a piece ends with a line where it can, and pieces grow all the same", () => {
    const { feed, pieces, toEnd } = setUp(0.1);
    const lines = `${"x".repeat(78)}\r\n`.repeat(4_000);
    feed.write(lines);
    feed.write("y".repeat(200_000));
    feed.write("prompt$ ");
    toEnd();
    expect(pieces.join("")).toBe(`${lines}${"y".repeat(200_000)}prompt$ `);
    const ofLines = pieces.filter((piece) => piece.startsWith("x"));
    expect(ofLines.filter((piece) => !piece.endsWith("\n"))).toEqual([]);
    expect(Math.max(...ofLines.map(({ length }) => length))).toBeGreaterThan(MOST_PIECE_CHARS - 80);
  });

  test("what comes while it parses is given after it, in the same order", () => {
    const { feed, pieces, toEnd } = setUp();
    feed.write("a", () => feed.write("c"));
    feed.write("b");
    toEnd();
    feed.write("d");
    toEnd();
    expect(pieces).toEqual(["a", "b", "c", "d"]);
  });

  test("nothing is given or told after it was closed", () => {
    const { feed, pieces, turn, toEnd, close } = setUp();
    const told = vi.fn<() => void>();
    feed.write("a", () => feed.close());
    feed.write("b", told);
    feed.between(told);
    turn();
    feed.write("c", told);
    toEnd();
    expect(pieces).toEqual(["a"]);
    expect(told).not.toHaveBeenCalled();
    expect(close).toHaveBeenCalledOnce();
  });

  test("with the window's own turns a real terminal shows all of it", async () => {
    const terminal = new Terminal({ cols: 80, rows: 5 });
    const feed = createFeed(terminal);
    const lines = Array.from({ length: 5_000 }, (_, line) => `line ${line}\r\n`).join("");
    await new Promise<void>((done) => {
      feed.write(lines);
      feed.write("end", done);
    });
    const { active } = terminal.buffer;
    expect(active.getLine(active.baseY + active.cursorY - 1)?.translateToString(true)).toBe("line 4999");
    expect(active.getLine(active.baseY + active.cursorY)?.translateToString(true)).toBe("end");
    feed.close();
    terminal.dispose();
  });
});

describe("the size of a piece", () => {
  test.each([
    ["grows when pieces take no time", 4_096, 4_096, 0.5, 8_192],
    ["stays when they take what they should", 4_096, 4_096, 1.5, 4_096],
    ["shrinks when they take long", 4_096, 4_096, 9, 2_048],
    ["does not grow by one that its message cut short", 4_096, 10, 0.1, 4_096],
    ["shrinks by one that its message cut short and that took long all the same", 4_096, 10, 9, 2_048],
    ["never falls below the least", LEAST_PIECE_CHARS, LEAST_PIECE_CHARS, 99, LEAST_PIECE_CHARS],
    ["never goes over the most", MOST_PIECE_CHARS, MOST_PIECE_CHARS, 0, MOST_PIECE_CHARS],
  ])("%s", (_what, before, chars, tookMs, after) => {
    expect(nextPieceChars(before, chars, tookMs)).toBe(after);
  });
});
