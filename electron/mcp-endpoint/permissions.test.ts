import { describe, expect, it } from "vitest";
import { auditUser, grants, USER } from "./permissions.ts";

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

describe("a caller's name in the audit", () => {
  it("cannot be taken for the person's, whatever a token is called", () => {
    expect(auditUser(USER)).toBe("user");
    expect(auditUser({ kind: "token", name: "user", permissions: [] })).toBe("token:user");
  });

  it("is the person's only for the person, who holds every permission", () => {
    expect(USER).toEqual({ kind: "user", name: "user", permissions: ["*"] });
  });
});
