import { describe, expect, it } from "vitest";
import { handClock } from "../testing/hand-clock.ts";
import { DELETE_ROW, READ_ROW } from "../testing/rows.ts";
import { auditTool, callOwnTool, REPLY_WITHIN_MS } from "./own-tools.ts";

describe("a tool that main answers itself", () => {
  it("answers as structured content and the same as text", async () => {
    const tool = { row: READ_ROW, answer: async () => ({ a: 1 }) };
    expect(await callOwnTool(tool, {}, handClock().clock)).toEqual({
      content: [{ type: "text", text: '{"a":1}' }],
      structuredContent: { a: 1 },
    });
  });

  it.each([
    ["30 s where it says nothing", undefined, REPLY_WITHIN_MS, READ_ROW, true],
    ["its own time", 200, 200, READ_ROW, true],
    ["its time, and is not called again where it may have changed something", 200, 200, DELETE_ROW, false],
  ])("has %s, and is told so when that is over", async (_, replyWithinMs, limitMs, row, retryable) => {
    const time = handClock();
    const tool = {
      row,
      answer: () => new Promise<Record<string, unknown>>(() => {}),
      ...(replyWithinMs === undefined ? {} : { replyWithinMs }),
    };
    let answered: Awaited<ReturnType<typeof callOwnTool>> | undefined;
    void callOwnTool(tool, {}, time.clock).then((answer) => (answered = answer));
    await time.move(limitMs - 1);
    expect(answered).toBeUndefined();
    await time.move(1);
    expect(answered?.isError).toBe(true);
    const [block] = answered?.content ?? [];
    expect(JSON.parse(block?.type === "text" ? block.text : "")).toMatchObject({
      code: "deadline_exceeded",
      retryable,
    });
  });

  it("reads the audit by what was asked for, and says how many rows were lost", async () => {
    const asked: unknown[] = [];
    const rows = [{ time: "2026-01-01T00:00:00Z", event: "mcp.call", user: "user", detail: {} }];
    const tool = auditTool({ query: async (filter) => (asked.push(filter), rows), lost: 3 });
    expect(await tool.answer({ event: "mcp." })).toEqual({ rows, count: 1, lost: 3 });
    expect(asked).toEqual([{ event: "mcp.", limit: 200 }]);
  });
});
