import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  SWITCH,
  answerHelp,
  decimalNumber,
  oneOf,
  readArguments,
  refusal,
  wholeNumber,
} from "./arguments.mjs";
import { Answer, BadArgument } from "./console.mjs";
import { ROOT, entriesOf } from "./paths.mjs";

const DOOR = {
  usage: "npm run measure -- [--rounds=N] [--quick] [--only=PART] [CASES]",
  about: "Measures.",
  flags: { rounds: wholeNumber(1, 200), quick: SWITCH, only: oneOf(["sql", "kv"]) },
  words: { cases: wholeNumber(1, 10), share: decimalNumber(0.5, 2) },
};

describe("the door of a script", () => {
  it("gives flags and words as values under their names, and none for what was not written", () => {
    expect(readArguments(DOOR, [])).toEqual({ more: [] });
    expect(readArguments(DOOR, ["--rounds=200", "7", "--quick", "0.5", "--only", "kv"])).toEqual({
      rounds: 200,
      quick: true,
      only: "kv",
      cases: 7,
      share: 0.5,
      more: [],
    });
  });

  it("gives the words after those that have a name", () => {
    const door = { ...DOOR, more: oneOf(["a", "b"]) };
    expect(readArguments(door, ["1", "2", "b", "a"])).toEqual({ cases: 1, share: 2, more: ["b", "a"] });
    expect(() => readArguments(door, ["1", "2", "c"])).toThrow("c: must be one of a, b; usage: ");
  });

  it.each([
    [["--round=1"], "--round: there is no such flag"],
    [["-q"], "-q: there is no such flag"],
    [["-quick"], "-q: there is no such flag"],
    [["--no-quick"], "--no-quick: there is no such flag"],
    [["--constructor"], "--constructor: there is no such flag"],
    [["--__proto__=1"], "--__proto__: there is no such flag"],
    [["--quick=yes"], "--quick: takes no value"],
    [["--rounds"], "--rounds: needs a value, as in --rounds=VALUE"],
    [["--rounds", "--quick"], "--rounds: needs a value, as in --rounds=VALUE"],
    [["--rounds="], "--rounds=: must be a whole number from 1 to 200"],
    [["--rounds=0"], "--rounds=0: must be a whole number from 1 to 200"],
    [["--rounds=201"], "--rounds=201: must be a whole number from 1 to 200"],
    [["--rounds=1e2"], "--rounds=1e2: must be a whole number from 1 to 200"],
    [["--only=all"], "--only=all: must be one of sql, kv"],
    [["many"], "many: cases must be a whole number from 1 to 10"],
    [["1.5"], "1.5: cases must be a whole number from 1 to 10"],
    [["1", "0.4"], "0.4: share must be a number from 0.5 to 2"],
    [["1", "1", "2"], "2: nothing is done with it"],
    [["--", "--quick"], "--quick: cases must be a whole number from 1 to 10"],
    [["http://me:secret@host"], "http://…@host: cases must be a whole number from 1 to 10"],
  ])("refuses %j in one sentence that names it and the usage", (args, sentence) => {
    const wanted = new BadArgument(`${sentence}; usage: ${DOOR.usage}`);
    expect(() => readArguments(DOOR, args)).toThrow(wanted);
  });

  it("says only the beginning of a long word again", () => {
    expect(refusal(DOOR, "x".repeat(1_000), "no").message).toHaveLength(
      `${"x".repeat(80)}: no; usage: ${DOOR.usage}`.length,
    );
  });

  it.each(["--help", "-h"])("answers %s with the usage, whatever else is written", (flag) => {
    const wanted = new Answer(`usage: ${DOOR.usage}\nMeasures.`);
    expect(() => readArguments(DOOR, ["--nosuchflag", flag])).toThrow(wanted);
    expect(() => answerHelp(DOOR, [flag])).toThrow(wanted);
    expect(() => answerHelp(DOOR, ["--other"])).not.toThrow();
  });
});

describe("the scripts", () => {
  // What reads them beside the door: flags that are the app's or Playwright's, and children's orders from their parents.
  const OTHERS = [
    "build/app.mjs",
    "build/e2e.mjs",
    "build/mutants/worker.mjs",
    "build/paths.mjs",
    "build/start.mjs",
    "mcp/testing/stdio-fixture.mjs",
  ];

  it("read their arguments at this door", () => {
    const readers = ["bridge", "build", "e2e", "engine", "mcp"]
      .flatMap((folder) => entriesOf(`${ROOT}/${folder}`, true))
      .filter(({ name }) => name.endsWith(".mjs") && !name.endsWith(".test.mjs"))
      .map(({ parentPath, name }) => `${parentPath}/${name}`)
      .filter((path) => readFileSync(path, "utf8").includes("process.argv"))
      .map((path) => path.slice(ROOT.length + 1));
    expect(readers.toSorted()).toEqual([...OTHERS, "build/arguments.mjs"].toSorted());
  });
});
