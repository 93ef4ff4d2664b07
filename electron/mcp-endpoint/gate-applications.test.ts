import { describe, expect, it } from "vitest";
import { listedApplicationTool } from "../testing/rows.ts";
import { applicationRows, type ApplicationRow } from "./application-rows.ts";
import { gate, hiddenBecause, NO_RULES, type Switches } from "./gate.ts";
import { USER, type Caller } from "./permissions.ts";

const REFUND = listedApplicationTool("shop.refund");
const SWITCHES: Switches = { name: "local", personMayWrite: true, agentsMayWrite: true, terminals: true };
const CLAUDE: Caller = { kind: "token", name: "claude", permissions: ["mcp.call", "mcp.write"] };
const reader: Caller = { kind: "token", name: "reader", permissions: ["mcp.call"] };

function rowOf(listed: object): ApplicationRow {
  const [row] = applicationRows([listed]);
  if (row === undefined) throw new Error("it was left out");
  return row;
}
describe("the gate, of tools of applications", () => {
  const decide = (
    caller: Caller,
    args: unknown = { line: "L1" },
    listed: object = REFUND,
    switches = SWITCHES,
  ) => gate(caller, rowOf(listed), switches, args);

  it.each([
    ["says that it destroys", { destructiveHint: true }, "ask"],
    ["says nothing", {}, "ask"],
    ["says that it writes, and nothing of what", { readOnlyHint: false }, "ask"],
    ["says that it reads and destroys", { readOnlyHint: true, destructiveHint: true }, "ask"],
    ["says that it only adds", { readOnlyHint: false, destructiveHint: false }, "allow"],
    ["says that it only reads", { readOnlyHint: true }, "allow"],
  ])("of a tool that %s", (_, annotations, verdict) => {
    const listed = { ...REFUND, annotations };
    expect(decide(CLAUDE, undefined, listed)).toEqual({ verdict });
    // Whatever it says of itself, its code runs: never less than a write.
    expect(decide(reader, undefined, listed).verdict).toBe("hidden");
    const readOnly = decide(CLAUDE, undefined, listed, { ...SWITCHES, agentsMayWrite: false });
    expect(readOnly).toMatchObject({ verdict: "refuse", error: { reason: "read_only" } });
    expect(
      gate(CLAUDE, rowOf(listed), SWITCHES, { line: "L1" }, { ...NO_RULES, stopped: true }),
    ).toMatchObject({
      verdict: "refuse",
      error: { reason: "stopped" },
    });
  });

  it("of one with a permission that a person put on its name", () => {
    const rules = { ...NO_RULES, extra: { shop_refund: "mcp.till" } };
    expect(hiddenBecause(CLAUDE, rowOf(REFUND), SWITCHES, rules)).toBe("missing permission mcp.till");
    const holder = { ...CLAUDE, permissions: [...CLAUDE.permissions, "mcp.till"] };
    expect(hiddenBecause(holder, rowOf(REFUND), SWITCHES, rules)).toBeUndefined();
  });

  it("offers none to the person's own buttons", () => {
    expect(decide(USER).verdict).toBe("hidden");
  });

  it.each([
    [{ line: "L9" }, 'arguments.line: value must be one of "L1", "L2", "L3"'],
    [{}, "arguments.line: is required"],
    [{ line: "L1", extra: 1 }, "arguments.extra: is not an argument here"],
  ])("refuses arguments that do not fit the declared schema: %j (rule 115)", (args, error) => {
    expect(decide(CLAUDE, args)).toMatchObject({
      verdict: "refuse",
      reason: "wrong arguments",
      error: { error, code: "invalid_argument", reason: "arguments" },
    });
  });

  it.each([
    ["refers outside", { type: "object", allOf: [{ $ref: "http://evil.example/s" }] }],
    ["is none", { type: "object", properties: { a: { type: "nonsense" } } }],
  ])("refuses every call of a tool whose schema %s", (_, inputSchema) => {
    expect(decide(CLAUDE, {}, { ...REFUND, inputSchema })).toMatchObject({
      verdict: "refuse",
      error: { code: "failed_precondition" },
    });
  });
});
