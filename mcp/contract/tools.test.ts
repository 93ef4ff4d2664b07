import * as z from "zod/v4";
import { describe, expect, expectTypeOf, it } from "vitest";
import { TOOL_NAMES } from "./tool-names.ts";
import type { ToolRow } from "./tool-row.ts";
import type { RunSummary } from "./domain.ts";
import { TOOLS, toolByName, type ToolArguments, type ToolInput, type ToolOutput } from "./tools.ts";
import { QUESTIONS } from "../server/questions.ts";

const planned: Record<string, { mode: string; risk: string }> = TOOL_NAMES;
const rows: readonly ToolRow[] = TOOLS;
/** Tools of our own are outside of the counts of the engine's tool server. */
const isOurs = ({ name }: ToolRow) => name.startsWith("ironbridge_");
const agentRows = rows.filter((row) => row.for !== "app" && !isOurs(row));

describe("the list of tools", () => {
  it("has 27 read, 16 write, 1 evidence and 2 terminal tools, six of them irreversible", () => {
    const count = (mode: string) => Object.values(planned).filter((row) => row.mode === mode).length;
    expect([count("read"), count("write"), count("evidence"), count("terminal")]).toEqual([27, 16, 1, 2]);
    const irreversible = Object.keys(planned).filter((name) => planned[name]?.risk === "irreversible");
    expect(irreversible.sort()).toEqual([
      "ironflow_delete_run",
      "ironflow_delete_stream",
      "ironflow_outbox_dlq_discard",
      "ironflow_redact_event",
      "ironflow_redact_run",
      "ironflow_redact_step",
    ]);
  });
});

describe("the tool table", () => {
  it("has one row per name, and finds it", () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    for (const row of rows) expect(toolByName(row.name)).toBe(row);
    expect(toolByName("ironflow_no_such_tool")).toBeUndefined();
  });

  it("has a row for every tool of the list", () => {
    expect(agentRows.map(({ name }) => name).sort()).toEqual(Object.keys(planned).sort());
  });

  it.each(agentRows)("gives $name the mode and risk that were planned for it", ({ name, mode, risk }) => {
    expect({ mode, risk }).toEqual(planned[name]);
  });

  it("names the argument of every dry run, so that nobody is asked about one", () => {
    const withDryRun = rows.filter(({ input }) => "dry_run" in input.shape);
    expect(withDryRun.map(({ name, trial }) => [name, trial])).toEqual([
      ["ironflow_rebuild_projection", "dry_run"],
    ]);
    expect(rows.filter(({ trial }) => trial !== undefined)).toEqual(withDryRun);
    for (const { description } of withDryRun)
      expect(description).toContain("changes nothing, and nobody is asked about it");
  });

  it("has only terminal tools of our own for agents", () => {
    const own = rows.filter((row) => row.for !== "app" && isOurs(row));
    expect(own.map(({ name }) => name)).toEqual([
      "ironbridge_terminal_list",
      "ironbridge_terminal_stop",
      "ironbridge_terminal_input",
      "ironbridge_terminal_resize",
    ]);
    for (const row of own)
      expect(row).toMatchObject({ mode: "terminal", permission: "mcp.terminal", for: "agent" });
  });

  it.each(rows.filter((row) => row.for === "app"))("names $name for the app and lets it only read", (row) => {
    expect(row.name).toMatch(/^ironbridge_/);
    expect({ mode: row.mode, risk: row.risk }).toEqual({ mode: "read", risk: "read" });
  });

  it.each(rows)("describes $name and every argument of it for a model", (row) => {
    expect(row.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(row.title).not.toBe("");
    expect(row.description.length).toBeGreaterThan(80);
    const { properties = {} } = z.toJSONSchema(row.input, { io: "input" });
    expect(Object.keys(properties)).toEqual(Object.keys(row.input.shape));
    for (const [argument, schema] of Object.entries(properties)) {
      expect(argument).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(schema).toHaveProperty("description", expect.stringMatching(/./));
    }
  });

  it.each(rows)("refuses an unknown argument of $name", ({ input }) => {
    const { error } = input.safeParse({ no_such_argument: 1 });
    expect(error?.issues.map(({ code }) => code)).toContain("unrecognized_keys");
  });

  it.each(rows)("gives $name hints that agree with its risk and its permission", (row) => {
    const { readOnlyHint, destructiveHint } = row.hints;
    expect(Object.keys(row.hints).sort()).toEqual(
      ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"].sort(),
    );
    expect(readOnlyHint).toBe(row.risk === "read");
    const allowed = { read: [false], write: [true, false], destructive: [true], irreversible: [true] };
    expect(allowed[row.risk]).toContain(destructiveHint);
    const expected = {
      read: "mcp.call",
      write: "mcp.write",
      evidence: "mcp.write",
      terminal: "mcp.terminal",
    };
    expect(row.permission).toBe(expected[row.mode]);
  });

  it("has a question for the person per irreversible row, and for no other", () => {
    const irreversible = rows.filter((row) => row.risk === "irreversible").map(({ name }) => name);
    expect(Object.keys(QUESTIONS).sort()).toEqual(irreversible.sort());
  });

  it.each(rows.filter((row) => row.risk === "irreversible"))("lets a caller confirm $name", ({ input }) => {
    expect(Object.keys(input.shape)).toContain("confirm");
  });
});

describe("the types of the table", () => {
  it("are those of each row, with and without defaults", () => {
    expectTypeOf<ToolInput<"ironflow_get_run">>().toEqualTypeOf<{ run_id: string }>();
    expectTypeOf<ToolInput<"ironflow_list_runs">["limit"]>().toEqualTypeOf<number>();
    expectTypeOf<ToolArguments<"ironflow_list_runs">["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<ToolOutput<"ironflow_list_runs">["runs"]>().toEqualTypeOf<RunSummary[]>();
  });
});

it("takes an event's data and metadata as they are, members named __proto__ included", () => {
  const { input } = toolByName("ironflow_emit_event") ?? {};
  const given = '{"event":"e","data":{"__proto__":{"a":1}},"metadata":{"__proto__":"x","k":1}}';
  expect(JSON.stringify(input?.parse(JSON.parse(given)))).toContain('"metadata":{"__proto__":"x","k":1}');
  expect(JSON.stringify(input?.parse(JSON.parse(given)))).toContain('"data":{"__proto__":{"a":1}}');
  expect(input?.safeParse({ event: "e", metadata: [] }).error?.issues[0]?.message).toBe("must be an object");
});
