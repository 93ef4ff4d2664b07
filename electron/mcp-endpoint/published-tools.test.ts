import { describe, expect, it } from "vitest";
import { toolRow, type ToolRow } from "../../mcp/contract/tool-row.ts";
import { TOOLS } from "../../mcp/contract/tools.ts";
import { DELETE_ROW, WRITE_ROW } from "../testing/rows.ts";
import { publishedTool } from "./published-tools.ts";

describe("a tool as agents see it", () => {
  it.each(TOOLS.map((row): [string, ToolRow] => [row.name, row]))(
    "%s has object schemas that any client reads",
    (_, row) => {
      const tool = publishedTool(row);
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(tool.inputSchema.type).toBe("object");
      expect(tool.outputSchema?.type ?? "object").toBe("object");
      expect(JSON.stringify(tool)).not.toContain("$schema");
      expect(Object.keys(tool.annotations ?? {})).toEqual(
        expect.arrayContaining(["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]),
      );
    },
  );

  it("never has `confirm` when what it does cannot be undone", () => {
    const rows = TOOLS.filter((row: ToolRow) => row.risk === "irreversible");
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(publishedTool(row).inputSchema.properties).not.toHaveProperty("confirm");
  });

  it("is made once", () => {
    expect(publishedTool(WRITE_ROW)).toBe(publishedTool(WRITE_ROW));
  });

  it("has no `confirm` where only a person may confirm, and keeps an application's own", () => {
    expect(publishedTool(DELETE_ROW).inputSchema.properties).toEqual({ run_id: { type: "string" } });
    const own = toolRow({ ...DELETE_ROW, name: "other", risk: "write" });
    expect(Object.keys(publishedTool(own).inputSchema.properties ?? {})).toEqual(["run_id", "confirm"]);
  });
});
