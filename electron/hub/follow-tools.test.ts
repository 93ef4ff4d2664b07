import { expect, it } from "vitest";
import { CallError } from "../../mcp/client/session.ts";
import { handClock } from "../testing/hand-clock.ts";
import { followTools, LIST_AGAIN_MS } from "./follow-tools.ts";

function follow() {
  const time = handClock();
  const ended = new AbortController();
  const news = new Set<() => void>();
  const heard: string[][] = [];
  const server = { tools: ["a"], fails: false, reads: 0, problems: 0 };
  const over = followTools(
    {
      async listTools() {
        server.reads += 1;
        if (server.fails) throw new CallError("timed-out", "sentence");
        return server.tools.map((name) => ({ name, inputSchema: { type: "object" as const } }));
      },
      onToolsChanged(listener) {
        news.add(listener);
        return () => void news.delete(listener);
      },
    },
    {
      clock: time.clock,
      ended: ended.signal,
      onTools: (tools) => void heard.push(tools.map((tool) => (tool as { name: string }).name)),
      onProblem: () => void (server.problems += 1),
    },
  );
  const tell = async () => {
    for (const listener of news) listener();
    await time.settle();
  };
  return { time, ended, news, heard, server, over, tell };
}

it("a list is read at the start and after each change, and not without one", async () => {
  const { time, ended, news, heard, server, over, tell } = follow();
  await time.settle();
  expect(heard).toEqual([["a"]]);
  server.tools = ["a", "b"];
  await tell();
  expect(heard).toEqual([["a"], ["a", "b"]]);
  await time.move(10 * LIST_AGAIN_MS);
  expect(server.reads).toBe(2);
  ended.abort();
  await over;
  expect(news.size).toBe(0);
});

it("news during a read means one more read, however much of it there is", async () => {
  const { time, ended, news, server, over } = follow();
  for (const listener of news) for (let at = 0; at < 5; at += 1) listener();
  await time.settle();
  expect(server.reads).toBe(2);
  ended.abort();
  await over;
});

it("a list that could not be read is asked for again, and what was heard stays", async () => {
  const { time, ended, heard, server, over, tell } = follow();
  await time.settle();
  server.fails = true;
  await tell();
  expect(server.problems).toBe(1);
  server.fails = false;
  server.tools = [];
  await time.move(LIST_AGAIN_MS);
  expect(heard).toEqual([["a"], []]);
  ended.abort();
  await over;
});
