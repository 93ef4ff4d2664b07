import { describe, expect, it } from "vitest";
import { CallError, type McpSession } from "../../mcp/client/session.ts";
import type { EngineLink, NoSession } from "./engine-link.ts";
import { createHub, HUB_LIMITS } from "./hub.ts";

const signal = new AbortController().signal;
const options = { caller: "claude", signal };

type Seen = Parameters<McpSession["callTool"]>;

function hubWith(callTool: McpSession["callTool"] | string, state: NoSession["state"] = "starting") {
  const link = {
    id: "local",
    name: "Embedded engine",
    changeBegins: () => () => {},
    session: () => (typeof callTool === "string" ? { why: callTool, state } : { callTool }),
  };
  return createHub(() => link as unknown as EngineLink);
}

const errorOf = (result: { isError?: boolean | undefined; content: { type: string; text?: string }[] }) => {
  expect(result.isError).toBe(true);
  return JSON.parse(result.content[0]?.text ?? "") as Record<string, unknown>;
};

describe("the hub", () => {
  it("passes the call, its caller and its signal on, and the result back as it is", async () => {
    let seen: Seen | undefined;
    const result = { content: [{ type: "text" as const, text: "hi" }], structuredContent: { a: 1 } };
    const hub = hubWith(async (...call) => {
      seen = call;
      return result;
    });
    expect(await hub.call("local", "ironflow_get_run", { run_id: "1" }, options)).toBe(result);
    expect(seen?.[0]).toBe("ironflow_get_run");
    expect(seen?.[1]).toEqual({ run_id: "1" });
    expect(seen?.[2]).toMatchObject({ signal, meta: { "ironbridge/caller": "claude" } });
  });

  it("gives a call a minute, so that a tool server that hangs is noticed, and a wait as long as it may wait", async () => {
    const limits: unknown[] = [];
    const hub = hubWith(async (...call) => {
      limits.push(call[2]?.timeoutMs);
      return { content: [] };
    });
    await hub.call("local", "ironflow_list_runs", {}, options);
    await hub.call("local", "ironflow_wait_for_run", {}, options);
    await hub.call("local", "shop_refund", {}, options);
    expect(limits).toEqual([HUB_LIMITS.callMs, HUB_LIMITS.waitMs, HUB_LIMITS.applicationMs]);
  });

  it.each([
    ["cancelled", { code: "canceled", retryable: false }],
    ["timed-out", { code: "deadline_exceeded", retryable: true }],
    ["connection-lost", { code: "unavailable", retryable: true }],
    ["refused", { code: "invalid_argument", retryable: false }],
  ] as const)("turns a read that is %s into an error object", async (problem, expected) => {
    const hub = hubWith(() => Promise.reject(new CallError(problem, "sentence")));
    expect(errorOf(await hub.call("local", "ironflow_get_run", {}, options))).toMatchObject({
      error: "sentence",
      ...expected,
    });
  });

  it("never says that a change may simply be repeated when nobody saw how it ended", async () => {
    for (const problem of ["timed-out", "connection-lost", "cancelled"] as const) {
      const hub = hubWith(() => Promise.reject(new CallError(problem, "sentence")));
      const error = errorOf(await hub.call("local", "ironflow_unheard_of", {}, options));
      expect(error).toMatchObject({ retryable: false });
      expect(error["hint"]).toContain("not known");
    }
  });

  it("says that nothing was sent when there is no session or no connection, and whether to call again", async () => {
    const starting = errorOf(await hubWith("It is starting.").call("local", "t", {}, options));
    expect(starting).toMatchObject({
      code: "unavailable",
      reason: "starting",
      retryable: true,
      retry_after: 2,
    });
    expect(starting["error"]).toBe(
      'Nothing was sent: the connection "Embedded engine" is not available. It is starting.',
    );
    const again = errorOf(await hubWith("It stopped.", "restarting").call("local", "t", {}, options));
    expect(again).toMatchObject({ retryable: true, retry_after: 2 });
    expect(again["reason"]).toBe("not_sent");
    const crashed = errorOf(await hubWith("The disk is full.", "away").call("local", "t", {}, options));
    expect(crashed).toMatchObject({ code: "unavailable", retryable: false });
    expect(crashed).not.toHaveProperty("retry_after");
    expect(crashed["reason"]).toBe("not_sent");
    expect(crashed["error"]).toContain("is not available. The disk is full.");
    const other = errorOf(await hubWith("x").call("other", "t", {}, options));
    expect(other).toMatchObject({ retryable: false });
    expect(other["error"]).toContain("There is no such connection now.");
  });

  it("keeps places free for other agents, and for the person, whatever agents have under way", async () => {
    let release = () => {};
    const held = new Promise<void>((open) => (release = open));
    const hub = hubWith(async () => {
      await held;
      return { content: [] };
    });
    const running: Promise<unknown>[] = [];
    const ofAgent = (agent: string, calls: number) => {
      for (let at = 0; at < calls; at += 1)
        running.push(hub.call("local", "t", {}, { ...options, caller: agent, agent }));
    };
    const isRefused = async (agent?: string) => {
      const call = hub.call("local", "t", {}, { ...options, agent });
      const result = await Promise.race([call, Promise.resolve(undefined)]);
      if (result === undefined) running.push(call);
      return result !== undefined && errorOf(result)["code"] === "resource_exhausted";
    };
    ofAgent("greedy", HUB_LIMITS.callsPerAgent);
    expect(await isRefused("greedy")).toBe(true);
    expect(await isRefused("other")).toBe(false);
    const agents = Math.ceil(HUB_LIMITS.callsOfAgents / HUB_LIMITS.callsPerAgent);
    for (let at = 0; at < agents; at += 1) ofAgent(`agent ${at}`, HUB_LIMITS.callsPerAgent);
    expect(await isRefused("late")).toBe(true);
    expect(await isRefused()).toBe(false);
    release();
    await Promise.all(running);
    expect(await isRefused("greedy")).toBe(false);
    await Promise.all(running);
  });
});
