import { expect, it } from "vitest";
import { handClock } from "../testing/hand-clock.ts";
import type { AuditEvent } from "./audit.ts";
import { REFUSED_ROWS, refusalRecords } from "./audit-records.ts";

function recorder() {
  const rows: AuditEvent[] = [];
  const time = handClock();
  const audit = { write: (row: AuditEvent) => Promise.resolve(void rows.push(row)) };
  return { rows, time, record: refusalRecords(audit, time.clock) };
}

it("records a refusal with its reason and whose token it was", () => {
  const { rows, record } = recorder();
  record("unknown token", undefined);
  record("missing permission mcp.call", "claude");
  expect(rows).toEqual([
    { event: "mcp.refused", user: "unknown", detail: { reason: "unknown token" } },
    { event: "mcp.refused", user: "token:claude", detail: { reason: "missing permission mcp.call" } },
  ]);
});

it("does not let a caller who is refused without end fill the disk or push others' rows out", async () => {
  const { rows, time, record } = recorder();
  for (let at = 0; at < 10_000; at += 1) record("unknown token", undefined);
  expect(rows).toHaveLength(REFUSED_ROWS.perWindow);
  record("method not allowed here", "claude");
  expect(rows.at(-1)).toMatchObject({ user: "token:claude" });
  await time.move(REFUSED_ROWS.windowMs);
  record("unknown token", undefined);
  expect(rows.at(-1)).toEqual({
    event: "mcp.refused",
    user: "unknown",
    detail: { reason: "unknown token", unrecorded: 10_000 - REFUSED_ROWS.perWindow },
  });
  record("unknown token", undefined);
  expect(rows.at(-1)?.detail).toEqual({ reason: "unknown token" });
});
