import type { AuditRow } from "../contract/audit.ts";
import type { AuditEvent } from "../mcp-endpoint/audit.ts";

/** A question that was open when the app ended without a word. Nothing was changed by it. */
export interface LeftOpen {
  readonly questionId: string;
  readonly user: string;
  readonly tool: string;
  readonly askedAt: string;
  /** Its end as it is recorded now. */
  readonly end: AuditEvent;
}

/** How an approval that was given just before a crash came out is not known here: the call's own rows tell it. */
const ENDS = new Set(["approved", "declined", "not_answered", "expired", "caller_gone", "app_closed"]);

/**
 * The questions among these rows that never came to an end.
 * @param rows `consent.` rows, newest first, of before this start
 */
export function leftOpen(rows: readonly AuditRow[]): LeftOpen[] {
  const ended = new Set<string>();
  const open: LeftOpen[] = [];
  for (const { event, user, detail, time } of rows) {
    const { question_id: questionId, tool } = detail;
    if (typeof questionId !== "string" || typeof tool !== "string") continue;
    if (ENDS.has(event.replace(/^consent\./, ""))) ended.add(questionId);
    else if (event === "consent.asked" && !ended.has(questionId)) {
      ended.add(questionId);
      const end = { event: "consent.app_closed", user, detail: { ...detail, crash: true } };
      open.push({ questionId, user, tool, askedAt: time, end });
    }
  }
  return open;
}
