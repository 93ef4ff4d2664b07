import { beforeEach, describe, expect, it } from "vitest";
import type { Answer } from "../consent/consent.ts";
import type { AgentActivity } from "../contract/ipc.ts";
import { CANCEL_ROW, DELETE_ROW, READ_ROW, WRITE_ROW } from "../testing/rows.ts";
import { runStore } from "../testing/run-store.ts";
import type { AuditEvent } from "./audit.ts";
import { createPerformer, type PerformParts, type ToolCall } from "./perform.ts";
import { USER, type Caller } from "./permissions.ts";

const SECRET = "argument-value-7f3a";
const reader: Caller = { kind: "token", name: "reader", permissions: ["mcp.call"] };
const writer: Caller = { kind: "token", name: "writer", permissions: ["mcp.call", "mcp.write"] };

let store: ReturnType<typeof runStore>;
let audit: AuditEvent[];
let activity: AgentActivity[];
let order: string[];
let asked: Parameters<PerformParts["consent"]["askCall"]>[0][];
let answer: () => Promise<Answer>;
let switches: { name: string; personMayWrite: boolean; agentsMayWrite: boolean; terminals: boolean };

beforeEach(() => {
  store = runStore();
  store.runs.set(SECRET, { status: "failed", steps: 1 });
  audit = [];
  activity = [];
  order = [];
  asked = [];
  answer = async () => ({ approved: true });
  switches = { name: "local", personMayWrite: true, agentsMayWrite: true, terminals: false };
});

function perform(call: Partial<ToolCall>) {
  const performer = createPerformer({
    rows: [READ_ROW, WRITE_ROW, DELETE_ROW, CANCEL_ROW],
    hub: {
      call: (_, tool, args) => {
        order.push(`hub ${tool}`);
        return store.call(tool, args);
      },
      link: (connection) =>
        connection === "local"
          ? {
              name: "local",
              switches,
              meta: { connection: "local", kind: "embedded", url: "http://127.0.0.1:9123" },
            }
          : undefined,
    },
    consent: {
      askCall: (call) => {
        asked.push(call);
        return answer();
      },
    },
    audit: {
      write: async (event) => {
        await Promise.resolve();
        audit.push(event);
        order.push(`audit ${event.event}`);
      },
    },
    onActivity: (news) => void activity.push(news),
    now: () => new Date("2026-01-01T00:00:00Z"),
  });
  return performer.perform({
    caller: writer,
    claim: "Claude Code 9",
    connection: "local",
    tool: "ironflow_delete_run",
    args: { run_id: SECRET },
    signal: new AbortController().signal,
    ...call,
  });
}

const outcomes = () => activity.map(({ outcome }) => outcome);
const textOf = (result: Awaited<ReturnType<typeof perform>>) =>
  result?.content[0]?.type === "text" ? result.content[0].text : "";

describe("a call that needs nobody", () => {
  it("goes to the engine, and its result names the engine", async () => {
    const result = await perform({ caller: reader, tool: "ironflow_get_run" });
    expect(result?.structuredContent).toMatchObject({ id: SECRET });
    expect(result?._meta).toEqual({
      "ironbridge/engine": { connection: "local", kind: "embedded", url: "http://127.0.0.1:9123" },
    });
    expect(outcomes()).toEqual(["started", "ok"]);
  });

  it("that changes something is on disk before it is forwarded", async () => {
    await perform({ tool: "ironflow_resume_run" });
    expect(order).toEqual(["audit mcp.call", "hub ironflow_resume_run", "audit mcp.result"]);
    expect(asked).toEqual([]);
  });

  it("is recorded without the values of its arguments", async () => {
    await perform({ caller: reader, tool: "ironflow_get_run" });
    await perform({});
    expect(audit.length).toBeGreaterThan(3);
    expect(JSON.stringify([audit, activity])).not.toContain(SECRET);
    expect(audit[0]).toMatchObject({
      user: "token:reader",
      detail: { tool: "ironflow_get_run", connection: "local" },
    });
  });

  it("of the person is recorded when it changes something, and not when it reads", async () => {
    await perform({ caller: USER, tool: "ironflow_get_run" });
    expect(audit).toEqual([]);
    await perform({ caller: USER, tool: "ironflow_resume_run" });
    expect(audit.map(({ event, user }) => [event, user])).toEqual([
      ["mcp.call", "user"],
      ["mcp.result", "user"],
    ]);
    expect(activity).toEqual([]);
  });
});

describe("a call that is not offered", () => {
  it.each([
    ["a tool that does not exist", { tool: "ironflow_nothing" }],
    ["a tool that the token may not call", { caller: reader }],
    ["a connection that does not exist", { connection: "other" }],
  ])("%s has no result, and reaches nobody", async (_, call) => {
    expect(await perform(call)).toBeUndefined();
    expect(order.filter((entry) => entry.startsWith("hub"))).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("is recorded with the reason", async () => {
    await perform({ caller: reader });
    expect(audit).toMatchObject([
      { event: "mcp.refused", detail: { reason: "missing permission mcp.write" } },
    ]);
    expect(outcomes()).toEqual(["refused"]);
  });

  it("with wrong arguments is refused before anybody is asked", async () => {
    const result = await perform({ args: { run: SECRET } });
    expect(result?.isError).toBe(true);
    expect(textOf(result)).toContain("arguments");
    expect(asked).toEqual([]);
    expect(order).toEqual(["audit mcp.refused"]);
  });
});

describe("a call that needs the person", () => {
  it("is forwarded after their approval, with main's own confirm", async () => {
    const result = await perform({});
    expect(result?.isError).not.toBe(true);
    expect(store.changes()).toEqual([
      { tool: "ironflow_delete_run", args: { run_id: SECRET, confirm: true } },
    ]);
    expect(outcomes()).toEqual(["started", "asking", "ok"]);
  });

  it("gets no confirm where the tool has none", async () => {
    await perform({ tool: "ironflow_cancel_run" });
    expect(store.changes()).toEqual([{ tool: "ironflow_cancel_run", args: { run_id: SECRET } }]);
  });

  it("is not helped by the agent's own confirm, and the person is not shown it", async () => {
    answer = async () => ({
      approved: false,
      error: { error: "no", code: "permission_denied", reason: "declined", retryable: false },
    });
    const result = await perform({ args: { run_id: SECRET, confirm: true } });
    expect(asked[0]?.args).toEqual({ run_id: SECRET });
    expect(result?.isError).toBe(true);
    expect(store.changes()).toEqual([]);
  });

  it("that is not approved does nothing, and says why", async () => {
    answer = async () => ({
      approved: false,
      error: {
        error: "Nothing was changed.",
        code: "permission_denied",
        reason: "expired",
        retryable: false,
      },
    });
    const result = await perform({});
    expect(JSON.parse(textOf(result))).toMatchObject({ code: "permission_denied", reason: "expired" });
    expect(store.changes()).toEqual([]);
    expect(audit).toMatchObject([{ event: "mcp.refused", detail: { reason: "expired" } }]);
    expect(outcomes()).toEqual(["started", "asking", "refused"]);
  });

  it("does nothing when rights were taken away while the person was asked", async () => {
    answer = async () => {
      switches.agentsMayWrite = false;
      return { approved: true };
    };
    const result = await perform({});
    expect(JSON.parse(textOf(result))).toMatchObject({ reason: "rights_changed" });
    expect(store.changes()).toEqual([]);
  });

  it("does nothing when the caller has gone by the time it is forwarded", async () => {
    const gone = new AbortController();
    answer = async () => {
      gone.abort();
      return { approved: true };
    };
    const result = await perform({ signal: gone.signal });
    expect(JSON.parse(textOf(result))).toMatchObject({ reason: "caller_gone" });
    expect(store.changes()).toEqual([]);
  });

  it("asks the person about their own button too", async () => {
    await perform({ caller: USER, claim: undefined });
    expect(asked).toHaveLength(1);
  });

  it("does nothing when asking fails", async () => {
    answer = () => Promise.reject(new Error("the window broke"));
    await expect(perform({})).rejects.toThrow("the window broke");
    expect(store.changes()).toEqual([]);
  });

  it("tells a caller that asked for progress that the person is being asked", async () => {
    const told: number[] = [];
    await perform({ onProgress: ({ progress }) => void told.push(progress) });
    expect(told).toEqual([1]);
  });
});
