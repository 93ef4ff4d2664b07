import { parseArgs } from "node:util";
import { expect, it } from "vitest";
import { commandLineProblem } from "./command-line-problem.ts";

const FLAGS = {
  "data-dir": { type: "string" },
  dev: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

function problemOf(args: string[]): string {
  try {
    parseArgs({ args, options: FLAGS });
  } catch (error) {
    return commandLineProblem(error, args, FLAGS);
  }
  throw new Error("nothing was wrong");
}

it.each([
  [["--dta-dir=x"], "--dta-dir: there is no such flag (did you mean --data-dir?)"],
  [["--nonsense"], "--nonsense: there is no such flag"],
  [["-x"], "-x: there is no such flag"],
  [["--dev=yes"], "--dev: takes no value"],
  [["--data-dir"], "--data-dir: needs a value, as in --data-dir=VALUE"],
  [["--data-dir", "--dev"], "--data-dir: needs a value, as in --data-dir=VALUE"],
  [["--dev", "--data-dir", "d", "hidden"], "word 4 of the command line belongs to no flag"],
  [["dev", "--dev"], "word 1 of the command line belongs to no flag (did you mean --dev?)"],
])("%j: %s", (args, sentence) => {
  expect(problemOf(args)).toBe(sentence);
});

it("is about what parseArgs refuses, and nothing else", () => {
  const other = new Error("other");
  expect(() => commandLineProblem(other, [], FLAGS)).toThrow(other);
});
