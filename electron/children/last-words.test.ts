import { describe, expect, it } from "vitest";
import { readChildLine, type ChildLine } from "./child-log.ts";
import { endSentence, LAST_WORDS_CHARS, lastWords, withWords } from "./last-words.ts";

describe("a line of a child's log", () => {
  it.each([
    [
      '{"level":30,"time":1,"pid":2,"hostname":"h","name":"engine","reason":"SIGTERM","msg":"stopping in order"}',
      { level: "info", message: "stopping in order (reason: SIGTERM)" },
    ],
    [
      '{"level":40,"msg":"slow","ms":12.5,"on":true}',
      { level: "info", message: "slow (ms: 12.5, on: true)" },
    ],
    [
      '{"level":50,"msg":"http","err":{"type":"Error","message":"x","stack":"Error: x\\n    at y"},"run":{"id":"r"}}',
      { level: "error", message: "http: Error: x\n    at y (run.id: r)" },
    ],
    ['{"level":60,"err":{"message":"disk"}}', { level: "error", message: "disk" }],
    ['{"level":30,"list":[1,2]}', { level: "info", message: "(no message) (list: 2 items)" }],
    ["engine: the disk is full", { level: "error", message: "the disk is full" }],
    ["demo: the disk is full", { level: "info", message: "demo: the disk is full" }],
    ['{"level":"high"}', { level: "info", message: '{"level":"high"}' }],
    ["{ half", { level: "info", message: "{ half" }],
  ])("%s is read in words", (line, expected) => {
    expect(readChildLine(line, "engine")).toEqual(expected);
  });
});

describe("the last words of a child", () => {
  it("are its lines in words, however the pieces come, the open one too", () => {
    const seen: ChildLine[] = [];
    const words = lastWords("engine", (line) => seen.push(line));
    words.take('{"level":50,"ms');
    words.take('g":"one"}\n\ntwo\nthr');
    expect(seen).toEqual([
      { level: "error", message: "one" },
      { level: "info", message: "two" },
    ]);
    expect(words.text).toBe("one\ntwo\nthr");
  });

  it("are bounded, whatever comes without an end of line", () => {
    const words = lastWords("engine", () => {});
    for (let piece = 0; piece < 100; piece += 1) words.take("x".repeat(1_000));
    expect(words.text.length).toBeLessThanOrEqual(LAST_WORDS_CHARS);
    words.take(`\n${"line\n".repeat(2_000)}`);
    expect(words.text.length).toBeLessThanOrEqual(LAST_WORDS_CHARS);
    expect(words.text.endsWith("line")).toBe(true);
  });

  it.each([
    ["", "The engine ended with code 1."],
    ["the disk is full", "The engine ended with code 1: the disk is full."],
    ["It is over.", "The engine ended with code 1: It is over."],
    ["one\ntwo", "The engine ended with code 1. Its last words:\none\ntwo"],
  ])("%j make one sentence with how it ended", (words, sentence) => {
    expect(endSentence("engine", { code: 1, signal: null }, words)).toBe(sentence);
  });

  it("follow whatever sentence there is", () => {
    expect(withWords("The tool server is gone: it ended.", "")).toBe("The tool server is gone: it ended.");
    expect(endSentence("engine", { code: null, signal: "SIGKILL" }, "")).toBe(
      "The engine was ended by SIGKILL.",
    );
  });
});
