import { describe, expect, test } from "vitest";
import { Connection } from "../../electron/contract/connection.ts";
import { connectionWords, keyAdvice, shortUrl, writeWords } from "./connection-words.ts";

const connection = (change: Partial<Connection>): Connection => ({
  id: "a",
  name: "a",
  kind: "remote",
  url: "https://engine.example",
  state: "connected",
  live: "websocket",
  person_may_write: false,
  agents_may_write: false,
  since: "2026-01-01T00:00:00Z",
  ...change,
});

describe("words of a connection", () => {
  test("every state has a word of its own", () => {
    const words = Connection.shape.state.options.map((state) => connectionWords(connection({ state })).word);
    expect(new Set(words).size).toBe(words.length);
  });

  test("it says live only when changes are pushed", () => {
    expect(connectionWords(connection({ live: "websocket" })).word).toBe("Live");
    expect(connectionWords(connection({ live: "polling" })).word).toContain("polling");
    expect(connectionWords(connection({ live: "none" })).word).not.toContain("Live");
  });

  test("while everything is stopped nothing reads as if agents could write", () => {
    for (const person_may_write of [true, false])
      for (const agents_may_write of [true, false]) {
        const { short, full } = writeWords(connection({ person_may_write, agents_may_write }), true);
        expect(short).toBe(person_may_write ? "Agents stopped" : "READ-ONLY");
        expect(full).toContain("Everything is stopped");
      }
  });

  test("a person who may not write always reads READ-ONLY", () => {
    for (const agents_may_write of [true, false]) {
      expect(writeWords(connection({ agents_may_write }), false).short).toBe("READ-ONLY");
      expect(writeWords(connection({ person_may_write: true, agents_may_write }), false).short).not.toBe(
        "READ-ONLY",
      );
    }
  });
});

test("an engine that wants a key says where the key goes, and no other one does", () => {
  const refused = connection({ state: "unauthorized" });
  expect(keyAdvice(refused, true)).toContain("Settings");
  expect(keyAdvice(refused, false)).toContain("IRONFLOW_API_KEY");
  expect(keyAdvice(connection({ state: "unauthorized", kind: "embedded" }), false)).toBeNull();
  expect(keyAdvice(connection({ state: "unreachable" }), true)).toBeNull();
});

test("an address keeps a scheme that is not plain http, and its path", () => {
  expect(shortUrl("http://127.0.0.1:9123/")).toBe("127.0.0.1:9123");
  expect(shortUrl("https://engine.example/team")).toBe("https://engine.example/team");
  expect(shortUrl("not an address")).toBe("not an address");
});
