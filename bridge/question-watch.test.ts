import { describe, expect, it } from "vitest";
import { QuestionWatch } from "./question-watch.ts";

const QUESTIONS = [
  "\u001b[c",
  "\u001b[>0c",
  "\u001b[6n",
  "\u001b[?6n",
  "\u001b[?2026$p",
  "\u001b[?u",
  "\u001bP$qm",
];

describe("questions in output", () => {
  it.each(QUESTIONS)("are found where they begin: %j", (question) => {
    const watch = new QuestionWatch();
    expect(watch.take(Buffer.from(`\u001b[31mred\u001b[0m${question}more`))).toBe(12);
    expect(watch.take(Buffer.from("text"))).toBeUndefined();
  });

  it.each(QUESTIONS)("are found once, wherever a piece ends: %j", (question) => {
    const bytes = Buffer.from(`ab${question}`);
    // The last of a setting's question is the text that it names.
    const whole = question.startsWith("\u001bP") ? 4 : question.length;
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const watch = new QuestionWatch();
      const found = [watch.take(bytes.subarray(0, cut)), watch.take(bytes.subarray(cut))];
      expect(found, `cut at ${cut}`).toEqual(cut < 2 + whole ? [undefined, 2 - cut] : [2, undefined]);
    }
  });

  it.each([
    "\u001b[31m",
    "\u001b[2J\u001b[H",
    "\u001b]0;a title\u0007",
    "\u001b[2 q",
    "n c q",
    "\u001b[?25l",
    // Answers that are echoed.
    "\u001b[?1;2c",
    "\u001b[>0;276;0c",
    "\u001b[0n",
    "\u001b[24;80R",
    "\u001b[?2026;2$y",
    "\u001b[?0u",
  ])("are not what only tells the terminal something: %j", (told) => {
    expect(new QuestionWatch().take(Buffer.from(told))).toBeUndefined();
  });

  it("are put together with what was printed before, as far as it is told", () => {
    const watch = new QuestionWatch();
    watch.take(Buffer.from("\u001b["));
    watch.follow(Buffer.from("other\u001b[?"));
    expect(watch.take(Buffer.from("6n"))).toBe(-3);
    watch.take(Buffer.from("\u001b["));
    watch.follow(Buffer.from(""));
    expect(watch.take(Buffer.from("6n"))).toBeUndefined();
  });

  it("are looked for in the last bytes of a large piece", () => {
    const watch = new QuestionWatch();
    const bytes = Buffer.from(`\u001b[5n${"x".repeat(50_000)}\u001b[6n`);
    expect(watch.take(bytes)).toBe(bytes.length - 4);
  });
});
