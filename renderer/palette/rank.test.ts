import { describe, expect, test } from "vitest";
import { rank } from "./rank.ts";

const ranked = (query: string, ...titles: string[]) =>
  rank(
    query,
    titles.map((title) => ({ title, aside: "" })),
    (item) => item,
  ).map(({ title }) => title);

describe("what is found for what was typed", () => {
  test.each(["", "  ", "\t"])("all of it, in its order, for nothing (%j)", (query) => {
    expect(ranked(query, "Runs", "Events", "Audit")).toEqual(["Runs", "Events", "Audit"]);
  });

  test("a beginning comes before a word inside, that before any letters inside, and letters apart come last", () => {
    expect(ranked("let", "tell", "outlet", "dead letters", "letters", "last entry")).toEqual([
      "letters",
      "dead letters",
      "outlet",
      "last entry",
    ]);
  });

  test("of two equal ones the shorter comes first, then the earlier", () => {
    expect(ranked("run", "run-reports", "Runs", "Run!", "Test runs")).toEqual([
      "Runs",
      "Run!",
      "run-reports",
      "Test runs",
    ]);
  });

  test("letters may lie apart, from the start of a word on and in their order", () => {
    expect(ranked("dltr", "Dead letters", "Audit")).toEqual(["Dead letters"]);
    expect(ranked("cb", "Circuit breakers", "abcb", "scab")).toEqual(["abcb", "Circuit breakers"]);
    expect(ranked("eadltr", "Dead letters")).toEqual([]);
    expect(ranked("rtld", "Dead letters")).toEqual([]);
    // Found from the second beginning of a word, not from the first.
    expect(ranked("bk", "bb bk")).toEqual(["bb bk"]);
  });

  test("every word must be found, in any order", () => {
    expect(ranked("letters dead", "Dead letters", "Letters")).toEqual(["Dead letters"]);
    expect(ranked("dead audit", "Dead letters", "Audit")).toEqual([]);
  });

  test("what is beside the title is found too, after every title, but only as it is written", () => {
    const items = [
      { title: "deploy", aside: "npm run audit" },
      { title: "Audit", aside: "" },
    ];
    const found = (query: string) => rank(query, items, (item) => item).map(({ title }) => title);
    expect(found("audit")).toEqual(["Audit", "deploy"]);
    expect(found("npm deploy")).toEqual(["deploy"]);
    expect(found("nra")).toEqual([]);
  });

  test.each([
    ["case and accents", "ECOLE", "école"],
    ["accents written apart", "e\u0301cole", "école"],
    ["width", "Ｒｕｎｓ", "Runs"],
    ["letters that lower case makes longer", "istanbul", "İstanbul"],
    ["other scripts", "заказ", "новый-Заказ"],
    ["scripts without spaces", "注文", "新しい注文"],
    ["part of a syllable", "하", "한국"],
    ["characters of two units", "🚚", "ship 🚚"],
  ])("%s make no difference", (_what, query, title) => {
    expect(ranked(query, title)).toEqual([title]);
  });

  test("half a character is no match for another", () => {
    expect(ranked("😀", "😁")).toEqual([]);
  });

  test("what a pattern would read differently is only text", () => {
    expect(ranked(".*", "order.placed", "a.*b")).toEqual(["a.*b"]);
    expect(ranked("(", "Runs")).toEqual([]);
  });
});
