import { describe, expect, it } from "vitest";
import { grants } from "./permissions.ts";

describe("permissions", () => {
  it.each([
    [["*"], "mcp.call", true],
    [["*"], "anything", true],
    [["mcp.*"], "mcp.call", true],
    [["mcp.*"], "mcp.terminal", true],
    [["mcp.*"], "mcp", false],
    [["mcp.*"], "mcpx", false],
    [["mcp.*"], "other.write", false],
    [["mcp.call"], "mcp.call", true],
    [["mcp.call"], "mcp.write", false],
    [["mcp.call", "mcp.write"], "mcp.write", true],
    [["mcp"], "mcp.call", false],
    [["mcp.c*"], "mcp.call", false],
    [["MCP.CALL"], "mcp.call", false],
    [[], "mcp.call", false],
  ])("%j for %s: %s", (permissions, wanted, expected) => {
    expect(grants(permissions, wanted)).toBe(expected);
  });
});
