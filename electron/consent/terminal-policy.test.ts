import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { toolByName } from "../../mcp/contract/tools.ts";
import { USER, type Caller } from "../mcp-endpoint/permissions.ts";
import { terminalPolicies, withTerminalDefaults } from "./terminal-policy.ts";
import { previewCommand } from "./terminal-preview.ts";

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
  });
});
