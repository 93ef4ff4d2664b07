import { describe, expect, it } from "vitest";
import { borderOf, modesAfter, modesAfterNext, NEW_TERMINAL, sequencesOf } from "./terminal-modes.ts";

const after = (output: string) => sequencesOf(modesAfter(Buffer.from(output), NEW_TERMINAL));

describe("what a terminal still heeds", () => {
  it.each([
    ["nothing", "plain\r\n\u001b[31mred\u001b[0m", ""],
    ["the other screen", "a\u001b[?1049hb", "\u001b[?1049h"],
    ["the first screen again, by another number", "\u001b[?1049h\u001b[?47l", ""],
    ["several at once", "\u001b[?1;2004;12h", "\u001b[?1h\u001b[?2004h"],
    ["what is on in a new terminal", "\u001b[?25l\u001b[?7l\u001b[?25h", "\u001b[?7l"],
    ["one way to tell clicks", "\u001b[?1000h\u001b[?1002h\u001b[?1006h", "\u001b[?1002h\u001b[?1006h"],
    ["clicks no longer", "\u001b[?1002h\u001b[?1006h\u001b[?1002l", "\u001b[?1006h"],
    ["keypad and character sets", "\u001b=\u001b(0\u001b)0\u000e", "\u001b=\u001b(0\u001b)0\u000e"],
    ["none of them", "\u001b=\u001b(0\u001b)0\u000e\u001b>\u001b(B\u001b)B\u000f", ""],
    ["what came after a reset", "\u001b[?1049h\u001b(0\u001bc\u001b[?1h", "\u001b[?1h"],
    ["nothing of a sequence that is cut, or of another kind", "\u001b[?1049r\u001b[?104", ""],
  ])("%s", (_what, output, wanted) => {
    expect(after(output)).toBe(wanted);
  });

  it("is the same wherever the output is cut in two", () => {
    const whole = Buffer.from(
      "x\u001b[?1049h\u001b[?1;2004h\u001b)0\u000ey\u001bc\u001b[?47h\u001b(0\u001b[?25l",
    );
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const first = whole.subarray(0, cut);
      const modes = modesAfterNext(borderOf(first), whole.subarray(cut), modesAfter(first, NEW_TERMINAL));
      expect(sequencesOf(modes)).toBe("\u001b[?47h\u001b(0\u001b[?25l");
    }
  });

  it("is the same wherever the longest sequence that programs print is cut", () => {
    const whole = Buffer.from("\u001b[?1;7;25;47;66;1000;1002;1003;1004;1005;1006;1015;1016;1047;1049;2004h");
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const modes = modesAfterNext(borderOf(whole.subarray(0, cut)), whole.subarray(cut), NEW_TERMINAL);
      expect(sequencesOf(modes)).toBe(after(whole.toString()));
    }
  });
});
