import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { toolByName } from "../../mcp/contract/tools.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { USER, type Caller } from "../mcp-endpoint/permissions.ts";
import { terminalPolicies, withTerminalDefaults } from "./terminal-policy.ts";
import type { TerminalPolicy } from "../contract/tokens.ts";
import type { Answer } from "./consent.ts";
import { refusal } from "./outcomes.ts";
import { previewCommand, previewInput } from "./terminal-preview.ts";

const row = (name: string) => {
  const found = toolByName(name);
  if (found === undefined) throw new Error(name);
  return found;
};
const run = row("ironflow_terminal_run");
const type = row("ironbridge_terminal_input");
const read = row("ironflow_terminal_read");
const agent = (more: Partial<Caller> = {}): Caller => ({
  kind: "token",
  name: "claude",
  permissions: ["*"],
  ...more,
});
const ALLOW = { verdict: "allow" } as const;

describe("an agent's commands", () => {
  it("are asked about once per start of the app when nothing was chosen", () => {
    const policies = terminalPolicies();
    expect(policies.decide(ALLOW, agent(), run).verdict).toBe("ask");
    expect(policies.decide(ALLOW, agent(), type).verdict).toBe("ask");
    policies.approved(agent(), run);
    expect(policies.decide(ALLOW, agent(), run).verdict).toBe("allow");
    expect(policies.decide(ALLOW, agent(), type).verdict).toBe("allow");
    expect(policies.decide(ALLOW, agent({ name: "other" }), run).verdict).toBe("ask");
    expect(terminalPolicies().decide(ALLOW, agent(), run).verdict).toBe("ask");
  });

  it("are asked about each time, or never, where the person chose so", () => {
    const policies = terminalPolicies();
    policies.approved(agent(), run);
    expect(policies.decide(ALLOW, agent({ terminalPolicy: "each" }), run).verdict).toBe("ask");
    const trusted = agent({ name: "trusted", terminalPolicy: "allow" });
    expect(policies.decide(ALLOW, trusted, run).verdict).toBe("allow");
  });

  it("are asked about anew when the token was taken away", () => {
    const policies = terminalPolicies();
    policies.approved(agent(), run);
    policies.forget("claude");
    expect(policies.decide(ALLOW, agent(), run).verdict).toBe("ask");
  });

  it("are never allowed by it: what the gate refused or hid stays so, and reading asks nobody", () => {
    const policies = terminalPolicies();
    const hidden = { verdict: "hidden", reason: "x" } as const;
    expect(policies.decide(hidden, agent({ terminalPolicy: "allow" }), run)).toBe(hidden);
    expect(policies.decide(ALLOW, agent(), read)).toBe(ALLOW);
    expect(policies.decide(ALLOW, USER, run)).toBe(ALLOW);
  });
});

describe("first commands of one agent at the same time", () => {
  const APPROVED: Answer = { approved: true };
  const DECLINED: Answer = { approved: false, error: refusal("declined") };
  const turn = () => new Promise((done) => setImmediate(done));

  function asked(policies: ReturnType<typeof terminalPolicies>) {
    const open: ((answer: Answer) => void)[] = [];
    const ask = () => new Promise<Answer>((resolve) => open.push(resolve));
    const call = (
      more: {
        caller?: Caller;
        now?: () => Caller | undefined;
        row?: ToolRow;
        args?: Record<string, unknown>;
        there?: boolean;
        signal?: AbortSignal;
      } = {},
    ) =>
      policies.inTurn(
        {
          caller: more.now ?? (() => more.caller ?? agent()),
          row: more.row ?? run,
          args: more.args ?? {},
          signal: more.signal ?? new AbortController().signal,
          attendance: { arrived: async () => more.there ?? true, askedAnew: () => {} },
          deadlineMs: () => 0,
        },
        ask,
      );
    return { open, call };
  }

  it("[B7] are one question: the others wait for its answer and go with a yes", async () => {
    const policies = terminalPolicies();
    const { open, call } = asked(policies);
    const all = [call(), call(), call()];
    await turn();
    expect(open).toHaveLength(1);
    open[0]?.(APPROVED);
    expect(await Promise.all(all)).toEqual([APPROVED, APPROVED, APPROVED]);
    expect(open).toHaveLength(1);
  });

  it("[B7] are asked about one after the other when the answer is no, and none runs without one", async () => {
    const { open, call } = asked(terminalPolicies());
    const all = [call(), call()];
    await turn();
    open[0]?.(DECLINED);
    expect(await all[0]).toEqual(DECLINED);
    await turn();
    expect(open).toHaveLength(2);
    open[1]?.(DECLINED);
    expect(await all[1]).toEqual(DECLINED);
  });

  it("[B7] of one that went away, or is not there to take a yes, does not run", async () => {
    const { open, call } = asked(terminalPolicies());
    const gone = new AbortController();
    const first = call();
    const left = call({ signal: gone.signal });
    const away = call({ there: false });
    await turn();
    gone.abort();
    expect(await left).toMatchObject({ approved: false, error: { reason: "caller_gone" } });
    open[0]?.(APPROVED);
    expect(await first).toEqual(APPROVED);
    expect(await away).toMatchObject({ approved: false, error: { reason: "expired" } });
  });

  it("[B7] of different agents, or of one that is asked each time, are questions of their own", async () => {
    const { open, call } = asked(terminalPolicies());
    void call();
    void call({ caller: agent({ name: "other" }) });
    void call({ caller: agent({ terminalPolicy: "each" }) });
    void call({ caller: agent({ terminalPolicy: "each" }) });
    await turn();
    expect(open).toHaveLength(4);
  });

  it("[B7] that wait while the person chooses to be asked each time are asked about", async () => {
    let policy: TerminalPolicy = "once";
    const { open, call } = asked(terminalPolicies());
    const now = () => agent({ terminalPolicy: policy });
    const first = call({ now });
    const second = call({ now });
    await turn();
    policy = "each";
    open[0]?.(APPROVED);
    expect(await first).toEqual(APPROVED);
    await turn();
    expect(open).toHaveLength(2);
    open[1]?.(DECLINED);
    expect(await second).toEqual(DECLINED);
  });

  it("[B7] that wait while their token is taken away do not run", async () => {
    let caller: Caller | undefined = agent();
    const { open, call } = asked(terminalPolicies());
    const first = call({ now: () => caller });
    const second = call({ now: () => caller });
    await turn();
    caller = undefined;
    open[0]?.(DECLINED);
    await first;
    expect(await second).toMatchObject({ approved: false, error: { reason: "caller_gone" } });
    expect(open).toHaveLength(1);
  });

  it("[B7] are not let through by an approval of something typed", async () => {
    const policies = terminalPolicies();
    const { open, call } = asked(policies);
    const typed = call({ row: type });
    const command = call();
    await turn();
    expect(open).toHaveLength(2);
    open[0]?.(APPROVED);
    expect(await typed).toEqual(APPROVED);
    policies.approved(agent(), type);
    expect(policies.decide(ALLOW, agent(), run).verdict).toBe("ask");
    open[1]?.(DECLINED);
    expect(await command).toEqual(DECLINED);
  });

  it("[B7] that wait for another's answer are named while they wait, in their order", async () => {
    let changes = 0;
    const policies = terminalPolicies(
      () => [],
      () => void (changes += 1),
    );
    const { open, call } = asked(policies);
    const gone = new AbortController();
    const commands = () => policies.waiting("claude").map(({ args }) => args["command"]);
    void call({ args: { command: "first" } });
    await turn();
    expect([commands(), changes]).toEqual([[], 0]);
    void call({ args: { command: "second" } });
    void call({ args: { command: "third" }, signal: gone.signal });
    await turn();
    expect([commands(), changes]).toEqual([["second", "third"], 2]);
    gone.abort();
    await turn();
    expect([commands(), changes]).toEqual([["second"], 3]);
    open[0]?.(APPROVED);
    await turn();
    expect(commands()).toEqual([]);
  });

  it("[B7] that nobody could be shown, or too many or too long to be read, do not wait for another's answer", async () => {
    const policies = terminalPolicies();
    const { open, call } = asked(policies);
    const first = call();
    await turn();
    const deep = JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`) as unknown;
    for (const args of [
      { env: { deep } },
      { command: "x".repeat(600_000) },
      { env: { X: "x".repeat(600_000) } },
    ])
      expect(await call({ args })).toMatchObject({ approved: false, error: { code: "invalid_argument" } });
    const half = call({ args: { env: { X: "x".repeat(300_000) } } });
    await turn();
    expect(await call({ args: { env: { X: "x".repeat(300_000) } } })).toMatchObject({
      approved: false,
      error: { code: "resource_exhausted", retryable: true },
    });
    const many = Array.from({ length: 31 }, () => call({ args: { command: "ls" } }));
    await turn();
    expect(await call({ args: { command: "ls" } })).toMatchObject({
      approved: false,
      error: { code: "resource_exhausted", retryable: true },
    });
    expect(policies.waiting("claude")).toHaveLength(32);
    open[0]?.(APPROVED);
    for (const answer of await Promise.all([first, half, ...many])) expect(answer).toEqual(APPROVED);
    expect(open).toHaveLength(1);
  });

  it("go on after a question that could not be asked at all", async () => {
    const policies = terminalPolicies();
    const { open, call } = asked(policies);
    const broken = policies.inTurn(
      {
        caller: () => agent(),
        row: run,
        args: {},
        signal: new AbortController().signal,
        attendance: { arrived: async () => true, askedAnew: () => {} },
        deadlineMs: () => 0,
      },
      () => Promise.reject(new Error("no window")),
    );
    const next = call();
    await expect(broken).rejects.toThrow("no window");
    await turn();
    open[0]?.(APPROVED);
    expect(await next).toEqual(APPROVED);
  });
});

describe("the question about what is typed", () => {
  const session: TerminalSession = {
    session_id: "term_aaaaaaaa",
    agent: "claude",
    name: "deploy",
    command: "ssh host",
    shell: "/bin/sh",
    cwd: "/",
    status: "waiting_input",
    exit_code: null,
    signal: null,
    reason: null,
    started_at: "2026-11-30T09:00:00Z",
    ended_at: null,
    output_bytes: 0,
    left_behind: 0,
    size: { cols: 80, rows: 24 },
  };
  const read = async (tool: string) => terminalPolicies(() => [session]).read(tool) ?? { content: [] };

  it("[B7] shows every character, and the tab: its name, command, agent and status", async () => {
    const { target } = await previewInput({ session_id: session.session_id, text: "yes\r\u0003" }, read);
    expect(target.map(({ label, text }) => [label, text])).toEqual([
      ["Typed", "yes⟨U+000D⟩⟨U+0003⟩"],
      ["Tab", "deploy"],
      ["Its command", "ssh host"],
      ["Started by", "claude"],
      ["It is", "waiting_input"],
      ["Terminal", "term_aaaaaaaa"],
    ]);
  });

  it("says when there is no such tab", async () => {
    const { target } = await previewInput({ session_id: "term_bbbbbbbb", text: "x" }, read);
    expect(target.map(({ text }) => text)).toContain("There is no such tab any more.");
  });
});

describe("the question about a command", () => {
  it("shows the whole command, the shell and the folder, also those that the agent left out", async () => {
    const args = withTerminalDefaults(run, { command: "make\nrm -rf \u202ex" }, { SHELL: "/bin/sh" });
    expect(args).toEqual({ command: "make\nrm -rf \u202ex", shell: "/bin/sh", cwd: homedir() });
    const { target } = await previewCommand(args);
    expect(target.map(({ label, text }) => [label, text])).toEqual([
      ["Command, line 1 of 2", "make"],
      ["Command, line 2 of 2", "rm -rf ⟨U+202E⟩x"],
      ["Shell", "/bin/sh"],
      ["Folder", homedir()],
    ]);
    const long = await previewCommand({ ...args, command: `${"x\n".repeat(5_000)}end` });
    expect(long.target[0]?.text).toMatch(/end$/);
  });

  it("leaves what the agent chose, and other tools' arguments, as they are", () => {
    const given = { command: "ls", cwd: "/tmp", shell: "zsh" };
    expect(withTerminalDefaults(run, given, { SHELL: "/bin/sh" })).toEqual(given);
    expect(withTerminalDefaults(read, { a: 1 })).toEqual({ a: 1 });
    expect(withTerminalDefaults(run, {}, { SHELL: "/usr/sbin/nologin", HOME: "/h" })).toEqual({
      shell: "/bin/bash",
      cwd: "/h",
    });
    const SystemRoot = "C:\\Windows";
    expect(withTerminalDefaults(run, { command: "dir", cwd: "C:\\" }, { SystemRoot }, "win32")).toEqual({
      command: "dir",
      cwd: "C:\\",
      shell: "C:\\Windows\\System32\\cmd.exe",
    });
  });
});
