import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { READ_HINTS, toolRow, type ToolRow } from "../../mcp/contract/tool-row.ts";
import { gate, hiddenBecause, NO_RULES, STOPPED, type Switches } from "./gate.ts";
import { USER, type Caller } from "./permissions.ts";

/** What the gate's own table leaves open: its reasons and errors, word by word. */

const row = (change: Partial<ToolRow>): ToolRow =>
  toolRow({
    name: "fixture",
    title: "t",
    description: "d",
    input: z.strictObject({ id: z.string() }),
    output: null,
    hints: READ_HINTS,
    risk: "read",
    permission: "mcp.call",
    mode: "read",
    for: "both",
    ...change,
  });
const WRITE = row({ risk: "write", mode: "write", permission: "mcp.write" });
const TERMINAL = row({ risk: "write", mode: "terminal", permission: "mcp.terminal" });
const open: Switches = { name: "local", personMayWrite: true, agentsMayWrite: true, terminals: true };
const agent = (...permissions: string[]): Caller => ({ kind: "token", name: "claude", permissions });
const args = { id: "1" };

describe("why a row is hidden", () => {
  it.each<[string, Caller, ToolRow | undefined, Partial<Switches>, string]>([
    ["there is none", USER, undefined, {}, "unknown tool"],
    ["it is the app's own", agent("*"), row({ for: "app" }), {}, "not for this kind of caller"],
    ["it is for agents", USER, row({ for: "agent" }), {}, "not for this kind of caller"],
    ["the token may not call", agent("mcp.write"), WRITE, {}, "missing permission mcp.call"],
    ["the token lacks the row's own", agent("mcp.call"), TERMINAL, {}, "missing permission mcp.terminal"],
    [
      "the row forgot that it writes",
      agent("mcp.call"),
      row({ risk: "write", mode: "write" }),
      {},
      "missing permission mcp.write",
    ],
  ])("is said for the audit: %s", (_, caller, wanted, switches, reason) => {
    const listed = wanted === undefined ? reason : hiddenBecause(caller, wanted, { ...open, ...switches });
    expect(listed).toBe(reason);
    expect(gate(caller, wanted, { ...open, ...switches }, args)).toEqual({ verdict: "hidden", reason });
  });

  it.each<[string, Caller, ToolRow, Partial<Switches>]>([
    ["a row for the app, to the person", USER, row({ for: "app" }), {}],
    ["a row for agents, to an agent", agent("mcp.call"), row({ for: "agent" }), {}],
    ["a read where no terminals are", agent("mcp.call"), row({}), { terminals: false }],
    ["a write to the person where agents may not", USER, WRITE, { agentsMayWrite: false }],
    [
      "a terminal where agents may not write",
      agent("mcp.call", "mcp.terminal"),
      TERMINAL,
      { agentsMayWrite: false },
    ],
  ])("is nothing for %s", (_, caller, wanted, switches) => {
    expect(hiddenBecause(caller, wanted, { ...open, ...switches })).toBeUndefined();
    expect(gate(caller, wanted, { ...open, ...switches }, args)).toEqual({ verdict: "allow" });
  });
});

describe("a refusal", () => {
  it.each([
    [
      WRITE,
      { agentsMayWrite: false },
      "the connection is read-only for agents",
      'The connection "prod" is read-only for agents. Nothing was changed.',
      "read_only",
      "Only the person can allow agents to change things there, in Ironbridge under Settings. Ask them; do not call again before.",
    ],
    [
      TERMINAL,
      { terminals: false },
      "no terminals on this connection",
      'No terminals are served on the connection "prod". Nothing was run.',
      "no_terminals",
      "Only the person can change that: they start Ironbridge with --terminals. Ask them; do not call again before.",
    ],
  ])("of a row that a switch keeps from an agent that may use it, says whose hand it takes", (...it) => {
    const [wanted, off, audit, error, reason, hint] = it;
    const switches = { ...open, name: "prod", ...off };
    expect(hiddenBecause(agent("*"), wanted, switches), "it is not listed").toBe(audit);
    expect(gate(agent("*"), wanted, switches, args)).toEqual({
      verdict: "refuse",
      reason: audit,
      error: { error, code: "permission_denied", reason, retryable: false, hint },
    });
  });

  it("of a write where the person may not, names the connection and that nothing was changed", () => {
    expect(gate(USER, WRITE, { ...open, name: "prod", personMayWrite: false }, args)).toEqual({
      verdict: "refuse",
      reason: "the connection is read-only",
      error: {
        error: 'The connection "prod" is read-only. Nothing was changed.',
        code: "permission_denied",
        reason: "read_only",
        retryable: false,
      },
    });
  });

  it("of wrong arguments and of a check that throws, is one of the caller's arguments", () => {
    const broken = row({
      input: z.object({}).refine(() => {
        throw new Error("boom");
      }),
    });
    for (const [wanted, wrong, text] of [
      [WRITE, {}, "arguments.id: "],
      [broken, {}, "arguments: could not be checked"],
    ] as const) {
      const verdict = gate(USER, wanted, open, wrong);
      expect(verdict).toMatchObject({
        verdict: "refuse",
        reason: "wrong arguments",
        error: { code: "invalid_argument", reason: "arguments", retryable: false },
      });
      expect(verdict.verdict === "refuse" && verdict.error.error.startsWith(text)).toBe(true);
    }
  });

  it("is never one of a terminal or of a read because a connection is read-only", () => {
    const closed = { ...open, personMayWrite: false };
    expect(gate(USER, row({ mode: "write" }), closed, args).verdict).toBe("allow");
    expect(gate(USER, TERMINAL, closed, args).verdict).toBe("allow");
  });
});

describe("what the person decided for all connections", () => {
  it("is nothing unless it is said", () => {
    expect(NO_RULES).toEqual({ extra: {}, extraLost: false, stopped: false });
  });

  it("is said for the audit where the permissions of single tools were lost", () => {
    const reason = "the permissions of single tools were lost";
    expect(gate(agent("mcp.call"), row({}), open, args, { ...NO_RULES, extraLost: true })).toEqual({
      verdict: "hidden",
      reason,
    });
  });

  it("names the extra permission that is missing, for the audit only", () => {
    const rules = { ...NO_RULES, extra: { fixture: "mcp.special" } };
    const reason = "missing permission mcp.special";
    expect(hiddenBecause(agent("mcp.call"), row({}), open, rules)).toBe(reason);
    expect(gate(agent("mcp.call"), row({}), open, args, rules)).toEqual({ verdict: "hidden", reason });
  });

  it("is told to an agent that was stopped, word by word", () => {
    expect(gate(agent("*"), WRITE, open, args, { ...NO_RULES, stopped: true })).toEqual({
      verdict: "refuse",
      reason: "everything was stopped",
      error: STOPPED,
    });
    expect(STOPPED).toEqual({
      error:
        "The person stopped everything that agents do. Until they lift it, agents only read. Nothing was changed.",
      code: "permission_denied",
      reason: "stopped",
      retryable: false,
      hint: "Do not send this call again unless the person asks you to.",
    });
  });

  it("leaves a check that throws a refusal, word by word", () => {
    const broken = row({
      input: z.object({}).refine(() => {
        throw new Error("boom");
      }),
    });
    expect(gate(USER, broken, open, {})).toEqual({
      verdict: "refuse",
      reason: "wrong arguments",
      error: {
        error: "arguments: could not be checked. Nothing was changed.",
        code: "invalid_argument",
        reason: "arguments",
        retryable: false,
      },
    });
  });
});
