import { expect, it } from "vitest";
import { auditFiltersQuery, auditQuery, readAuditFilters } from "./audit-filters.ts";

const NOW = Date.parse("2026-01-02T00:00:00Z");

it.each([
  [{}, {}],
  [{ event: "mcp." }, { event: "mcp." }],
  [{ event: "made up" }, {}],
  [{ user: "claude" }, { user: "token:claude" }],
  [{ user: " token:claude " }, { user: "token:claude" }],
  [{ user: "user" }, { user: "user" }],
  [{ user: "unknown" }, { user: "unknown" }],
  [
    { tool: " ironflow_list_runs ", call: "call-1" },
    { tool: "ironflow_list_runs", call_id: "call-1" },
  ],
  [{ window: "24h" }, { since: "2026-01-01T00:00:00.000Z" }],
])("the address %j asks for %j", (query, asked) => {
  expect(auditQuery(readAuditFilters(query as Record<string, string>), NOW)).toEqual(asked);
});

it("filters are written into the address and read back", () => {
  for (const filters of [
    { event: "", user: "", tool: "", call: "", window: "all" },
    { event: "consent.", user: "claude", tool: "ironflow_list_runs", call: "call-1", window: "7d" },
  ] as const)
    expect(readAuditFilters(auditFiltersQuery(filters))).toEqual(filters);
});
