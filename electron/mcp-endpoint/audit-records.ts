import { leftOpen, type LeftOpen } from "../consent/left-open.ts";
import { logError } from "../log.ts";
import { AUDIT_ROWS_MAX } from "../contract/audit.ts";
import type { ConsentRecord } from "../consent/consent.ts";
import type { Audit } from "./audit.ts";
import type { Remote } from "./request-facts.ts";

/** What was asked and how it came out, with the digest that ties both to one call. */
export function recordConsent(
  audit: Audit,
  { event, questionId, user, callId, tool, digest }: ConsentRecord,
): Promise<void> {
  const detail = {
    question_id: questionId,
    ...(callId === undefined ? {} : { call_id: callId }),
    tool,
    digest,
  };
  return audit.write({ event: `consent.${event}`, user, detail });
}

/** A request with a token that did not reach the protocol. Floods of them share a row, see `Audit.repeat`. */
export function recordRefusal(
  audit: Audit,
  reason: string,
  remote: Remote,
  caller: string | undefined,
): void {
  audit.repeat({
    ...remote,
    event: "mcp.refused",
    user: caller === undefined ? "unknown" : `token:${caller}`,
    detail: { reason },
  });
}

/**
 * Questions that an earlier life of the app could not bring to an end: they are recorded as closed with it, once.
 * @returns them, for the person to be told; never rejects
 */
export async function recordLeftOpen(audit: Audit, startedAt: Date): Promise<readonly LeftOpen[]> {
  try {
    const rows = await audit.query({ event: "consent.", limit: AUDIT_ROWS_MAX });
    const open = leftOpen(rows.filter(({ time }) => Date.parse(time) < startedAt.getTime()));
    await Promise.all(open.map(({ end }) => audit.write(end)));
    return open;
  } catch (cause) {
    logError("audit", "what the last life of the app left open could not be read", cause);
    return [];
  }
}
