import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ownProcessEnv, SESSION_MARKER } from "../../loopback/environment.ts";
import { carriesEntry, listProcesses } from "../../loopback/processes.ts";
import { isAlive } from "../../loopback/testing/alive.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { CallError, McpSession, type SessionOptions } from "./session.ts";
import { StdioError } from "./stdio-error.ts";
import { StdioTransport } from "./stdio.ts";

const FIXTURE = resolve(import.meta.dirname, "../testing/stdio-fixture.mjs");

const optionsFor = (mode: string, more: Partial<SessionOptions> = {}): SessionOptions => ({
  command: process.execPath,
  args: [FIXTURE, mode],
  cwd: tmpdir(),
  env: ownProcessEnv(),
  clientInfo: { name: "test", version: "1" },
  ...more,
});

const connect = (mode: string, more?: Partial<SessionOptions>) => McpSession.connect(optionsFor(mode, more));

const textOf = async (result: Promise<{ content: unknown }>): Promise<string> => {
  const [block] = (await result).content as { text: string }[];
  return block?.text ?? "";
};

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error("expected a failure");
    },
    (error: unknown) => error,
  );

describe("a session", () => {
  it("calls tools, hands _meta on, and leaves no process behind", async () => {
    const session = await connect("good");
    expect(session.serverInfo).toMatchObject({ name: "fixture" });
    const text = await textOf(
      session.callTool("echo", { a: 1 }, { meta: { "ironbridge/caller": "claude" } }),
    );
    expect(JSON.parse(text)).toEqual({ given: { a: 1 }, meta: { "ironbridge/caller": "claude" } });
    const { pid } = session;
    await session.close();
    expect(isAlive(pid ?? 0)).toBe(false);
    expect(await session.ended).toMatchObject({ expected: true, exit: { code: 0, signal: null } });
    expect(await failure(session.callTool("echo", {}))).toMatchObject({ problem: "connection-lost" });
  });

  it("hears of changed resources, also of one that comes right behind the answer, and reads them", async () => {
    const session = await connect("good");
    let updates = 0;
    const remove = await session.onResourceUpdated("test://a", () => (updates += 1));
    await poll("an update", () => updates === 1);
    expect(await session.readText("test://a")).toBe("hello");
    remove();
    await session.close();
  });

  it.each(["banner", "bom", "noisy-stderr"])("copes with a server that is only untidy: %s", async (mode) => {
    const session = await connect(mode);
    expect(await textOf(session.callTool("echo", {}))).toContain("given");
    expect(session.stderrTail.length).toBeLessThanOrEqual(64 * 1024);
    await session.close();
  });

  it("ends a server that ignores the end of stdin and SIGTERM", async () => {
    const session = await connect("ignore-term", { stopTimes: { afterStdinCloseMs: 50, afterTermMs: 50 } });
    const { pid } = session;
    await session.close();
    expect(isAlive(pid ?? 0)).toBe(false);
    expect(await session.ended).toMatchObject({ exit: { signal: "SIGKILL" } });
  });

  it("kills at once when there is no time", async () => {
    const session = await connect("ignore-term");
    const { pid } = session;
    session.killNow();
    await session.ended;
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it("ends a grandchild that holds the pipes with the server", async () => {
    const session = await connect("grandchild");
    await poll("the grandchild's pid", () => session.stderrTail.includes("grandchild "));
    const grandchild = Number(/grandchild (\d+)/.exec(session.stderrTail)?.[1]);
    expect(isAlive(grandchild)).toBe(true);
    expect(await failure(session.callTool("crash", {}))).toMatchObject({ problem: "connection-lost" });
    await session.ended;
    await poll("the grandchild is gone", () => !isAlive(grandchild));
  });
});

describe("a call", () => {
  it("tells a timeout from a cancel, and the server of both", async () => {
    const session = await connect("good");
    expect(await failure(session.callTool("never", {}, { timeoutMs: 50 }))).toMatchObject({
      problem: "timed-out",
    });
    const cancel = new AbortController();
    const call = failure(session.callTool("never", {}, { signal: cancel.signal }));
    cancel.abort();
    expect(await call).toMatchObject({ problem: "cancelled" });
    await poll("two cancellations", () => session.stderrTail.split("cancelled ").length === 3);
    expect(await textOf(session.callTool("echo", {}))).toContain("given");
    await session.close();
  });

  it("says with which exit code and last words a server died", async () => {
    const session = await connect("good");
    const error = await failure(session.callTool("crash", {}));
    expect(error).toBeInstanceOf(CallError);
    expect(error).toMatchObject({
      problem: "connection-lost",
      message: "the tool server ended with exit code 3",
      cause: { problem: "exited", exit: { code: 3, signal: null } },
    });
    expect(await session.ended).toMatchObject({ expected: false, exit: { code: 3 } });
  });

  it("gets the answer that a server wrote just before it ended", async () => {
    const session = await connect("good");
    expect(await textOf(session.callTool("last-words", {}))).toBe("last words");
    expect(await session.ended).toMatchObject({ expected: false, exit: { code: 0 } });
  });

  it("is refused for an unknown tool without ending the session", async () => {
    const session = await connect("good");
    expect(await failure(session.callTool("unknown", {}))).toMatchObject({
      problem: "refused",
      message: "Tool unknown not found",
    });
    expect(await textOf(session.callTool("echo", {}))).toContain("given");
    await session.close();
  });
});

describe("a server that breaks the protocol", () => {
  it("may answer up to the limit and is ended one byte above it", async () => {
    const limits = { frameBytes: 100_000 };
    const session = await connect("good", { limits });
    const envelope = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: "" }] },
    });
    const bytes = 100_000 - envelope.length;
    expect(await textOf(session.callTool("huge", { bytes }))).toHaveLength(bytes);
    expect(await failure(session.callTool("huge", { bytes: bytes + 1 }))).toMatchObject({
      problem: "connection-lost",
      cause: { problem: "frame-too-large" },
    });
    await session.ended;
    expect(isAlive(session.pid ?? 0)).toBe(false);
  });

  it("may send some lines that are no JSON, and is ended when there are too many", async () => {
    const session = await connect("good");
    expect(await textOf(session.callTool("garbage", { lines: 20 }))).toBe("after the garbage");
    expect(await failure(session.callTool("garbage", { lines: 1 }))).toMatchObject({
      cause: { problem: "bad-frames" },
    });
    await session.ended;
  });

  it.each(["text-id", "bad-utf8"])("is not believed: %s", async (tool) => {
    const session = await connect("good");
    expect(await failure(session.callTool(tool, {}, { timeoutMs: 200 }))).toMatchObject({
      problem: "timed-out",
    });
    await session.close();
  });

  it("cannot make a send hang or the queue grow by not reading", async () => {
    const transport = new StdioTransport({ ...optionsFor("deaf"), limits: { sendQueueBytes: 300_000 } });
    await transport.start();
    const message = { jsonrpc: "2.0" as const, method: "x", params: { text: "x".repeat(50_000) } };
    const sends = Array.from({ length: 12 }, () => failureOrDone(transport.send(message)));
    const settled: unknown[] = [];
    for (const send of sends) void send.then((outcome) => settled.push(outcome));
    await poll("the queue is full", () => settled.some((outcome) => isProblem(outcome, "send-queue-full")));
    expect(settled.length).toBeLessThan(sends.length);
    transport.killNow();
    await Promise.all(sends);
    expect(settled.some((outcome) => isProblem(outcome, "closed"))).toBe(true);
    await transport.close();
    expect(isAlive(transport.pid ?? 0)).toBe(false);
  });
});

const failureOrDone = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "sent",
    (error: unknown) => error,
  );

const isProblem = (outcome: unknown, problem: string): boolean =>
  outcome instanceof StdioError && outcome.problem === problem;

describe("a connection that does not come about", () => {
  it("tells of a command that does not exist, before anything is started", async () => {
    const error = await failure(connect("good", { command: "/no/such/program" }));
    expect(error).toBeInstanceOf(StdioError);
    expect(error).toMatchObject({ problem: "launch-failed", message: "no such command: /no/such/program" });
  });

  it("tells of a server that ended at once, with its last words", async () => {
    expect(await failure(connect("exit-at-once"))).toMatchObject({
      problem: "exited",
      message: "the tool server ended with exit code 7: boom: config missing",
      stderrTail: "boom: config missing\n",
    });
  });

  it("ends a server that has not yet shaken hands when nobody wants it any more", async () => {
    const unwanted = new AbortController();
    const session = randomUUID();
    const servers = async () =>
      (await listProcesses()).filter(({ pid }) => carriesEntry(pid, `${SESSION_MARKER}=${session}`));
    const env = ownProcessEnv({ session });
    const connecting = failure(connect("silent", { env, signal: unwanted.signal }));
    await poll("the server", async () => (await servers()).length === 1);
    unwanted.abort();
    expect(await connecting).toMatchObject({ problem: "cancelled" });
    expect(await servers()).toEqual([]);
  });

  it("ends a server that never shakes hands", async () => {
    const error = await failure(connect("silent", { handshakeTimeoutMs: 200 }));
    expect(error).toMatchObject({ problem: "timed-out" });
  });
});
