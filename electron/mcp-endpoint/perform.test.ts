import { terminalPolicies } from "../consent/terminal-policy.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { toolRow } from "../../mcp/contract/tool-row.ts";
import type { Answer } from "../consent/consent.ts";
import type { AgentActivity } from "../contract/ipc.ts";
import { CANCEL_ROW, DELETE_ROW, READ_ROW, WRITE_ROW } from "../testing/rows.ts";
import { runStore } from "../testing/run-store.ts";
import type { AuditEvent } from "./audit.ts";
import { handClock } from "../testing/hand-clock.ts";
import { NO_RULES, type HouseRules } from "./gate.ts";
import { createPerformer, type Performer, type PerformParts, type ToolCall } from "./perform.ts";
import { USER, type Caller } from "./permissions.ts";

const SECRET = "argument-value-7f3a";
/** Reads a terminal, and finds a run where a test looks. */
const TERMINAL_ROW = toolRow({ ...READ_ROW, name: "ironflow_get_run_steps", mode: "terminal" });
const reader: Caller = { kind: "token", name: "reader", permissions: ["mcp.call"] };
const writer: Caller = { kind: "token", name: "writer", permissions: ["mcp.call", "mcp.write"] };

let store: ReturnType<typeof runStore>;
let audit: AuditEvent[];
let activity: AgentActivity[];
let order: string[];
let asked: Parameters<PerformParts["consent"]["askCall"]>[0][];
let answer: () => Promise<Answer>;
let performer: Performer | undefined;
let remembered: Set<string>;
let rules: HouseRules;
let callerNow: PerformParts["callerNow"];
let onHubCall: () => void;
let shown: string;
let time: ReturnType<typeof handClock>;
let switches: { name: string; personMayWrite: boolean; agentsMayWrite: boolean; terminals: boolean };

beforeEach(() => {
  performer = undefined;
  remembered = new Set();
  rules = NO_RULES;
  callerNow = ({ caller }) => caller;
  onHubCall = () => {};
  shown = "local";
  time = handClock();
  store = runStore();
  store.runs.set(SECRET, { status: "failed", steps: 1 });
  audit = [];
  activity = [];
  order = [];
  asked = [];
  answer = async () => ({ approved: true });
  switches = { name: "local", personMayWrite: true, agentsMayWrite: true, terminals: false };
});

async function perform(call: Partial<ToolCall>) {
  const result = await performerOf().perform({
    caller: writer,
    tokenId: "writer-hash",
    claim: "Claude Code 9",
    connection: "local",
    tool: "ironflow_delete_run",
    args: { run_id: SECRET },
    signal: new AbortController().signal,
    ...call,
  });
  if (result !== undefined && "comeBack" in result) throw new Error("the caller was told to come back");
  return result;
}

/** The one performer of a test. */
function performerOf() {
  performer ??= createPerformer({
    remembered: {
      has: ({ tokenId, tool, engine }) => remembered.has(`${tokenId} ${tool} ${engine}`),
      add: ({ tokenId, tool, engine }) => void remembered.add(`${tokenId} ${tool} ${engine}`),
    },
    callerNow: (call) => callerNow(call),
    rules: () => rules,
    own: [],
    terminals: terminalPolicies(),
    clock: time.clock,
    rows: [READ_ROW, WRITE_ROW, DELETE_ROW, CANCEL_ROW, TERMINAL_ROW],
    hub: {
      call: (_, tool, args) => {
        order.push(`hub ${tool}`);
        onHubCall();
        return store.call(tool, args);
      },
      link: (connection) =>
        connection === shown
          ? {
              name: "local",
              switches,
              applicationRows: [],
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
  return performer;
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

  it("that only reads is told nothing of what came after the right to it was taken away", async () => {
    const reading = perform({ caller: reader, tool: "ironflow_get_run" });
    callerNow = () => (order.length === 0 ? reader : { ...reader, permissions: [] });
    const result = await reading;
    expect(order).toContain("hub ironflow_get_run");
    expect(JSON.parse(textOf(result))).toMatchObject({ reason: "rights_changed" });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(outcomes()).toEqual(["started", "refused"]);
  });

  it("that reads a terminal is told nothing but its failure after terminals were switched off", async () => {
    onHubCall = () => (switches.terminals = false);
    const read = { caller: reader, tool: TERMINAL_ROW.name };
    switches.terminals = true;
    const result = await perform(read);
    expect(JSON.parse(textOf(result))).toMatchObject({ reason: "no_terminals" });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(outcomes()).toEqual(["started", "refused"]);
    switches.terminals = true;
    const failed = await perform({ ...read, args: { run_id: "none" } });
    expect(JSON.parse(textOf(failed))).toMatchObject({ code: "not_found" });
  });

  it("that only reads is told what an engine said that was left since, unless its token is gone", async () => {
    onHubCall = () => (shown = "other");
    const read = { caller: reader, tool: "ironflow_get_run" };
    expect((await perform(read))?.structuredContent).toMatchObject({ id: SECRET });
    shown = "local";
    callerNow = () => (shown === "local" ? reader : undefined);
    expect(JSON.parse(textOf(await perform(read)))).toMatchObject({ reason: "rights_changed" });
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
    expect(activity.at(-1)?.reason).toBe("expired");
  });

  it("does nothing when rights were taken away while the person was asked", async () => {
    answer = async () => {
      switches.agentsMayWrite = false;
      return { approved: true };
    };
    const result = await perform({});
    expect(JSON.parse(textOf(result))).toMatchObject({ reason: "read_only" });
    expect(store.changes()).toEqual([]);
  });

  it.each([
    ["lost the permission", () => ({ ...writer, permissions: ["mcp.call"] })],
    ["was taken away", () => undefined],
  ])("[E6] does nothing when its token %s while the person was asked", async (_, now) => {
    answer = async () => {
      callerNow = now;
      return { approved: true };
    };
    const result = await perform({});
    expect(JSON.parse(textOf(result))).toMatchObject({ reason: "rights_changed" });
    expect(store.changes()).toEqual([]);
  });

  it("does nothing when the tool came to need another permission while the person was asked", async () => {
    answer = async () => {
      rules = { ...NO_RULES, extra: { ironflow_delete_run: "mcp.line3" } };
      return { approved: true };
    };
    expect(JSON.parse(textOf(await perform({})))).toMatchObject({ reason: "rights_changed" });
    expect(store.changes()).toEqual([]);
  });

  it("that fails after the approval says whether nothing was changed, and the strip says why", async () => {
    store.runs.delete(SECRET);
    const error = JSON.parse(textOf(await perform({}))) as { code: string; hint: string };
    expect(error.code).toBe("not_found");
    expect(error.hint).toContain("Nothing was changed by this call.");
    expect(activity.at(-1)).toMatchObject({ outcome: "error", reason: "not_found" });
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

describe("the limit of a token", () => {
  const limited: Caller = { ...writer, rateLimit: { calls: 2, per_s: 60 } };
  const read = (caller = limited) => perform({ caller, tool: "ironflow_get_run" });

  it("refuses a call over it before it reaches anybody, in words and whole seconds", async () => {
    await read();
    await time.move(500);
    await read();
    const refused = await read();
    expect(JSON.parse(textOf(refused))).toMatchObject({
      code: "resource_exhausted",
      reason: "rate_limited",
      retryable: true,
      retry_after: 60,
    });
    expect(textOf(refused)).toContain("2 calls per minute");
    expect(textOf(refused)).toContain("Wait 60 seconds");
    expect(order.filter((entry) => entry.startsWith("hub"))).toHaveLength(2);
    expect(audit.at(-1)).toMatchObject({ event: "mcp.refused", detail: { reason: "rate limit exceeded" } });
    await time.move(59_500);
    expect((await read())?.isError).not.toBe(true);
  });

  it("counts calls with wrong arguments too, and starts over when the person changes it", async () => {
    for (let at = 0; at < 2; at += 1) await perform({ caller: limited, tool: "ironflow_get_run", args: {} });
    expect(JSON.parse(textOf(await read()))).toMatchObject({ reason: "rate_limited" });
    performerOf().forgetLimit("writer");
    expect((await read())?.isError).not.toBe(true);
  });

  it("is not the person's", async () => {
    for (let at = 0; at < 10; at += 1)
      expect((await read({ ...USER, rateLimit: { calls: 1, per_s: 60 } }))?.isError).not.toBe(true);
  });
});

describe("an answer that is remembered", () => {
  const cancel = (call: Partial<ToolCall> = {}) => perform({ tool: "ironflow_cancel_run", ...call });
  const rememberOnce = async () => {
    answer = async () => {
      asked.at(-1)?.onRemember?.();
      return { approved: true };
    };
    await cancel();
    answer = async () => ({ approved: true });
  };

  it("lets the same token call the same tool on the same engine without a question", async () => {
    await rememberOnce();
    await cancel();
    expect(asked).toHaveLength(1);
    expect(
      audit.filter(({ event }) => event === "mcp.call").map(({ detail }) => detail["remembered"]),
    ).toEqual([undefined, true]);
  });

  it.each([
    ["another token of the same name", { tokenId: "made-again" }],
    ["a token without an identity", { tokenId: undefined }],
    ["the person", { caller: USER, tokenId: undefined }],
  ])("is not good for %s", async (_, call) => {
    await rememberOnce();
    await cancel(call);
    expect(asked).toHaveLength(2);
  });

  it("is never offered, and never used, where something cannot be undone", async () => {
    remembered.add("writer-hash ironflow_delete_run embedded");
    await perform({});
    expect(asked).toHaveLength(1);
    expect(asked[0]?.onRemember).toBeUndefined();
  });
});

describe("a tool with a permission of its own", () => {
  beforeEach(() => (rules = { ...NO_RULES, extra: { ironflow_resume_run: "mcp.line3" } }));
  const names = (caller: Caller) =>
    performerOf()
      .tools(caller, "local")
      .map(({ name }) => name);

  it("is not seen and not called without it, and is with it, from the next request on", async () => {
    expect(names(writer)).not.toContain("ironflow_resume_run");
    expect(await perform({ tool: "ironflow_resume_run" })).toBeUndefined();
    expect(audit).toMatchObject([
      { event: "mcp.refused", detail: { reason: "missing permission mcp.line3" } },
    ]);
    const holder = { ...writer, permissions: [...writer.permissions, "mcp.line3"] };
    expect(names(holder)).toContain("ironflow_resume_run");
    expect((await perform({ caller: holder, tool: "ironflow_resume_run" }))?.isError).not.toBe(true);
    rules = NO_RULES;
    expect(names(writer)).toContain("ironflow_resume_run");
  });
});

describe("while everything is stopped", () => {
  it("agents read, and change nothing", async () => {
    rules = { ...NO_RULES, stopped: true };
    for (const tool of ["ironflow_resume_run", "ironflow_cancel_run", "ironflow_delete_run"])
      expect(JSON.parse(textOf(await perform({ tool })))).toMatchObject({ reason: "stopped" });
    expect(asked).toEqual([]);
    expect(store.changes()).toEqual([]);
    expect((await perform({ tool: "ironflow_get_run" }))?.isError).not.toBe(true);
    expect((await perform({ caller: USER, tool: "ironflow_resume_run" }))?.isError).not.toBe(true);
  });

  it("a call that was approved, or written to the audit, just before is not forwarded", async () => {
    answer = async () => {
      rules = { ...NO_RULES, stopped: true };
      return { approved: true };
    };
    expect(JSON.parse(textOf(await perform({})))).toMatchObject({ reason: "stopped" });
    rules = NO_RULES;
    const written = perform({ tool: "ironflow_resume_run" });
    rules = { ...NO_RULES, stopped: true };
    expect(JSON.parse(textOf(await written))).toMatchObject({ reason: "stopped" });
    expect(store.changes()).toEqual([]);
  });
});
