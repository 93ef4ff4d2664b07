import { expect, it } from "vitest";
import type { AuditEvent } from "./audit.ts";
import { recordRefusal } from "./audit-records.ts";

it("a refusal is recorded with its reason, whose token it was and where it came from", () => {
  const rows: AuditEvent[] = [];
  const audit = { repeat: (row: AuditEvent) => void rows.push(row) };
  recordRefusal(audit, "unknown token", { remote: "127.0.0.1:9" }, undefined);
  recordRefusal(audit, "missing permission mcp.call", {}, "claude");
  expect(rows).toEqual([
    { event: "mcp.refused", user: "unknown", remote: "127.0.0.1:9", detail: { reason: "unknown token" } },
    { event: "mcp.refused", user: "token:claude", detail: { reason: "missing permission mcp.call" } },
  ]);
});
