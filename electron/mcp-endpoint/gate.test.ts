import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { DESTRUCTIVE_ROW, READ_HINTS, toolRow, type ToolRow } from "../../mcp/contract/tool-row.ts";
import { toolByName } from "../../mcp/contract/tools.ts";
import { gate, hiddenBecause, type HouseRules, type Switches } from "./gate.ts";
import { USER, type Caller } from "./permissions.ts";

const base = {
  title: "t",
  description: "d",
  input: z.strictObject({
    run_id: z.string(),
    limit: z.number().int().max(5).optional(),
    line: z.enum(["L1", "L2", "L3"]).optional(),
  }),
  output: null,
  hints: READ_HINTS,
} as const;
const rows: Record<string, ToolRow> = {
  read: toolRow({ ...base, name: "r", risk: "read", permission: "mcp.call", mode: "read", for: "both" }),
  proto: toolRow({
    ...base,
    name: "constructor",
    risk: "read",
    permission: "mcp.call",
    mode: "read",
    for: "both",
  }),
  app: toolRow({ ...base, name: "a", risk: "read", permission: "mcp.call", mode: "read", for: "app" }),
  agent: toolRow({ ...base, name: "g", risk: "read", permission: "mcp.call", mode: "read", for: "agent" }),
  write: toolRow({ ...base, name: "w", risk: "write", permission: "mcp.write", mode: "write", for: "both" }),
  cancel: toolRow({
    ...base,
    name: "c",
    risk: "destructive",
    permission: "mcp.write",
    mode: "write",
    for: "both",
  }),
  delete: toolRow({
    ...base,
    name: "x",
    risk: "irreversible",
    permission: "mcp.write",
    mode: "write",
    for: "both",
  }),
  terminal: toolRow({
    ...base,
    name: "t",
    risk: "write",
    permission: "mcp.terminal",
    mode: "terminal",
    for: "both",
  }),
  /** A row whose author forgot the permission: the risk alone must hold. */
  careless: toolRow({
    ...base,
    name: "y",
    risk: "irreversible",
    permission: "mcp.call",
    mode: "write",
    for: "both",
  }),
};

const open: Switches = { name: "local", personMayWrite: true, agentsMayWrite: true, terminals: true };
const embedded: Switches = { ...open, agentsMayWrite: false };
const remote: Switches = { ...open, personMayWrite: false, agentsMayWrite: false, terminals: false };
const agent = (...permissions: string[]): Caller => ({ kind: "token", name: "claude", permissions });
const args = { run_id: "run_1" };
const isHidden = (caller: Caller, row: ToolRow | undefined, switches: Switches, rules?: HouseRules) =>
  row === undefined || hiddenBecause(caller, row, switches, rules) !== undefined;

describe("what the person decided for all connections", () => {
  const rules = (extra: Record<string, string>, stopped = false): HouseRules => ({
    extra,
    extraLost: false,
    stopped,
  });
  it.each([
    [
      "an extra permission hides the tool from who has it not",
      agent("mcp.call"),
      "read",
      rules({ r: "mcp.x" }),
      "hidden",
    ],
    ["and shows it to who has it", agent("mcp.call", "mcp.x"), "read", rules({ r: "mcp.x" }), "allow"],
    ["mcp.* holds it", agent("mcp.*"), "read", rules({ r: "mcp.x" }), "allow"],
    [
      "it does not stand for the row's own",
      agent("mcp.call", "mcp.x"),
      "write",
      rules({ w: "mcp.x" }),
      "hidden",
    ],
    ["it is one tool's only", agent("mcp.call"), "read", rules({ w: "mcp.x" }), "allow"],
    ["no name of an object is a permission", agent("mcp.call"), "proto", rules({}), "allow"],
    ["the person has every permission", USER, "write", rules({ w: "mcp.x" }), "allow"],
    ["stopped, agents still read", agent("*"), "read", rules({}, true), "allow"],
    ["stopped, agents do not write", agent("*"), "write", rules({}, true), "refuse"],
    ["stopped, nobody is asked for an agent", agent("*"), "delete", rules({}, true), "refuse"],
    ["stopped, no command runs", agent("*"), "terminal", rules({}, true), "refuse"],
    ["stopped, what was hidden stays hidden", agent("mcp.call"), "write", rules({}, true), "hidden"],
    ["stopped, the person goes on", USER, "delete", rules({}, true), "ask"],
  ])("%s", (_, caller, row, given, expected) => {
    const named = rows[row];
    expect(gate(caller, named, open, args, given).verdict).toBe(expected);
    expect(isHidden(caller, named, open, given)).toBe(expected === "hidden");
  });

  it.each([
    ["the single tools' permissions are lost: who may not hold each of them sees nothing", ["mcp.call"]],
    ["neither does who holds some of them", ["mcp.call", "mcp.write", "mcp.line3"]],
  ])("%s", (_, permissions) => {
    const lost: HouseRules = { extra: {}, extraLost: true, stopped: false };
    for (const named of Object.values(rows)) {
      expect(gate(agent(...permissions), named, open, args, lost).verdict).toBe("hidden");
      expect(isHidden(agent(...permissions), named, open, lost)).toBe(true);
    }
  });

  it.each([["*"], ["mcp.*"]])("they are lost: %s holds whatever they were, and the person does", (all) => {
    const lost: HouseRules = { extra: {}, extraLost: true, stopped: false };
    expect(gate(agent(all), rows["read"], open, args, lost).verdict).toBe("allow");
    expect(gate(agent(all), rows["delete"], open, args, lost).verdict).toBe("ask");
    expect(gate(USER, rows["read"], open, args, lost).verdict).toBe("allow");
  });
});

describe("the gate", () => {
  const cases: [string, Caller, string, Switches, string][] = [
    ["a reader reads", agent("mcp.call"), "read", remote, "allow"],
    ["a reader does not see writes", agent("mcp.call"), "write", open, "hidden"],
    ["a reader does not see terminals", agent("mcp.call"), "terminal", open, "hidden"],
    ["a token without mcp.call sees nothing", agent("mcp.write"), "write", open, "hidden"],
    ["a token without mcp.call does not read either", agent("mcp.write"), "read", open, "hidden"],
    ["a writer writes where agents may", agent("mcp.call", "mcp.write"), "write", open, "allow"],
    [
      "a writer is told where agents may not write",
      agent("mcp.call", "mcp.write"),
      "write",
      embedded,
      "refuse",
    ],
    ["* does not open a read-only connection", agent("*"), "write", embedded, "refuse"],
    [
      "a reader learns nothing of writes where agents may not",
      agent("mcp.call"),
      "write",
      embedded,
      "hidden",
    ],
    [
      "a writer writes where only agents may",
      agent("*"),
      "write",
      { ...open, personMayWrite: false },
      "allow",
    ],
    ["a destructive call asks", agent("mcp.*"), "cancel", open, "ask"],
    ["an irreversible call asks", agent("*"), "delete", open, "ask"],
    [
      "an irreversible row with the wrong permission is still a write",
      agent("mcp.call"),
      "careless",
      open,
      "hidden",
    ],
    ["no agent is offered the app's own rows", agent("*"), "app", open, "hidden"],
    ["no agent is offered a row that does not exist", agent("*"), "missing", open, "hidden"],
    [
      "a terminal needs its own permission only",
      agent("mcp.call", "mcp.terminal"),
      "terminal",
      embedded,
      "allow",
    ],
    ["a writer is not a terminal user", agent("mcp.call", "mcp.write"), "terminal", open, "hidden"],
    ["no terminal where none are served", agent("*"), "terminal", remote, "refuse"],
    ["nothing of terminals to who may not", agent("mcp.call", "mcp.write"), "terminal", remote, "hidden"],
    ["the person reads", USER, "app", remote, "allow"],
    ["the person writes on the embedded engine", USER, "write", embedded, "allow"],
    ["the person is asked too", USER, "delete", embedded, "ask"],
    ["the person may not write on a read-only connection", USER, "delete", remote, "refuse"],
    ["the person is not offered rows for agents", USER, "agent", open, "hidden"],
  ];
  it.each(cases)("%s", (_, caller, row, switches, expected) => {
    expect(gate(caller, rows[row], switches, args).verdict).toBe(expected);
  });

  it("lists to an agent exactly what it would let through, or ask about", () => {
    const agents = cases.filter(([, caller]) => caller.kind === "token");
    expect(agents.length).toBeGreaterThan(10);
    for (const [, caller, row, switches] of agents) {
      const { verdict } = gate(caller, rows[row], switches, args);
      expect(isHidden(caller, rows[row], switches)).toBe(verdict === "hidden" || verdict === "refuse");
    }
  });

  it("tells a value of a wrong kind from one that is missing", () => {
    const verdict = gate(USER, rows["read"], open, { run_id: 1 });
    expect(verdict.verdict === "refuse" && verdict.error.error).toBe("arguments.run_id: must be a string");
  });

  it.each([
    [{}, "arguments.run_id: "],
    [{ run_id: 1 }, "arguments.run_id: "],
    [{ run_id: "r", limit: 6 }, "arguments.limit: "],
    [{ run_id: "r", extra: 1 }, "arguments.extra: is not an argument here; it takes run_id, limit, line"],
    [{ run_id: "r", line: "L4" }, 'arguments.line: value must be one of "L1", "L2", "L3"'],
    [null, "arguments: "],
    [[], "arguments: "],
  ])("refuses the arguments %j before anything is asked or done, and names the place", (wrong, place) => {
    const verdict = gate(USER, rows["delete"], open, wrong);
    expect(verdict).toMatchObject({
      verdict: "refuse",
      error: { code: "invalid_argument", retryable: false },
    });
    expect(verdict.verdict === "refuse" && verdict.error.error).toContain(place);
  });

  it.each([
    [{ run_id: "r", dry_run: true }, "allow"],
    [{ run_id: "r", dry_run: false }, "ask"],
    [{ run_id: "r" }, "ask"],
    [{ run_id: "r", dry_run: "true" }, "refuse"],
  ])("a trial that changes nothing is asked about by nobody: %j", (given, expected) => {
    const input = z.strictObject({ run_id: z.string(), dry_run: z.boolean().optional() });
    const trial = toolRow({ ...base, ...DESTRUCTIVE_ROW, name: "d", input, trial: "dry_run" });
    expect(gate(agent("*"), trial, open, given).verdict).toBe(expected);
    expect(gate(agent("mcp.call"), trial, open, given).verdict).toBe("hidden");
    const other = toolRow({ ...base, ...DESTRUCTIVE_ROW, name: "d", input });
    expect(gate(agent("*"), other, open, { run_id: "r", dry_run: true }).verdict).toBe("ask");
  });

  it("asks nobody about a dry run of a real tool, and asks about the same call without it", () => {
    const row = toolByName("ironflow_rebuild_projection");
    for (const caller of [agent("*"), USER]) {
      expect(gate(caller, row, open, { name: "p", dry_run: true })).toEqual({ verdict: "allow" });
      expect(gate(caller, row, open, { name: "p", dry_run: false })).toEqual({ verdict: "ask" });
      expect(gate(caller, row, open, { name: "p" })).toEqual({ verdict: "ask" });
    }
  });

  it("refuses when a check throws", () => {
    const broken = z.object({}).refine(() => {
      throw new Error("boom");
    });
    const row = toolRow({
      ...base,
      name: "b",
      input: broken,
      risk: "read",
      permission: "mcp.call",
      mode: "read",
      for: "both",
    });
    expect(gate(agent("mcp.call"), row, open, {}).verdict).toBe("refuse");
  });
});
