import { expect, it } from "vitest";
import type { AuditRow } from "../contract/audit.ts";
import { leftOpen } from "./left-open.ts";

const row = (event: string, id: string | number, user = "token:claude"): AuditRow => ({
  time: "2026-01-01T00:00:00Z",
  event,
  user,
  detail: { question_id: id, tool: "ironflow_delete_run", digest: "d" },
});

it("a question without an end was open when the app went, and is told once", () => {
  const rows = [
    row("consent.asked", "q5", "user"),
    row("consent.declined", "q4"),
    row("consent.asked", "q4"),
    row("consent.asked", "q3"),
    row("consent.remembered", "q2"),
    row("consent.approved", "q2"),
    row("consent.asked", "q2"),
    row("consent.app_closed", "q1"),
    row("consent.asked", "q1"),
    row("consent.asked", 7),
  ];
  const open = leftOpen(rows);
  expect(open.map(({ questionId, user }) => [questionId, user])).toEqual([
    ["q5", "user"],
    ["q3", "token:claude"],
  ]);
  expect(open[0]?.end).toMatchObject({ event: "consent.app_closed", detail: { crash: true, digest: "d" } });
  expect(leftOpen([...open.map(({ end, askedAt }) => ({ ...end, time: askedAt })), ...rows])).toEqual([]);
});
