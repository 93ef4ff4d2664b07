import { describe, expect, it } from "vitest";
import { areOfTerminal, lastingMarks, parseLimits, standFor } from "./lasting-mark.ts";

const SESSION = "IRONBRIDGE_SESSION=life-0001";
const TERMINAL = "IRONBRIDGE_TERMINAL=term_aaaaaaaa";
const env = { IRONBRIDGE_SESSION: "life-0001", IRONBRIDGE_TERMINAL: "term_aaaaaaaa" };
const limits = (soft: string, hard: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax file size             unlimited            unlimited            bytes     \nMax file locks            ${soft.padEnd(20)} ${hard.padEnd(20)} locks     \n`;

describe("lasting marks", () => {
  it("[B3-1] tell the life of the app and the terminal, and are read back from the limits", () => {
    const marks = lastingMarks(env);
    if (marks === undefined) throw new Error("no marks");
    const read = parseLimits(limits(marks.soft, marks.hard));
    expect(read).toEqual(marks);
    expect([standFor(read, SESSION), standFor(read, TERMINAL), areOfTerminal(read)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(standFor(read, `${SESSION}0`) || standFor(read, `${TERMINAL}0`)).toBe(false);
  });

  it("stay below the highest that a shell can set, a soft one below every hard one", () => {
    for (let at = 0; at < 500; at += 1) {
      const marks = lastingMarks({ IRONBRIDGE_SESSION: `l${at}`, IRONBRIDGE_TERMINAL: `t${at}` });
      expect(BigInt(marks?.hard ?? -1n)).toBeLessThan(2n ** 63n);
      expect(BigInt(marks?.soft ?? -1n)).toBeLessThan(2n ** 62n);
      expect(BigInt(marks?.soft ?? -1n)).toBeGreaterThanOrEqual(2n ** 61n);
    }
  });

  it("of a child that is no terminal's name the life alone", () => {
    const marks = lastingMarks({ IRONBRIDGE_SESSION: "life-0001" });
    expect(marks?.soft).toBe(marks?.hard);
    expect(standFor(marks, SESSION)).toBe(true);
    expect(areOfTerminal(marks)).toBe(false);
  });

  it("are none where nobody marked: other limits, no limit, no file", () => {
    for (const [soft, hard] of [
      ["unlimited", "unlimited"],
      ["1024", "4096"],
      ["0", "4611686018427387903"],
    ] as const)
      expect(parseLimits(limits(soft, hard))).toBeUndefined();
    expect(parseLimits("")).toBeUndefined();
    expect(lastingMarks({ IRONBRIDGE_TERMINAL: "term_aaaaaaaa" })).toBeUndefined();
    expect(standFor(undefined, SESSION)).toBe(false);
    expect(areOfTerminal(undefined)).toBe(false);
  });
});
