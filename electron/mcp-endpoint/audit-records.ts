import type { ConsentRecord } from "../consent/consent.ts";
import type { Audit } from "./audit.ts";

/** What was asked and how it came out, with the digest that ties both to one call. */
export function recordConsent(
  audit: Audit,
  { event, user, callId, tool, digest }: ConsentRecord,
): Promise<void> {
  const detail = { ...(callId === undefined ? {} : { call_id: callId }), tool, digest };
  return audit.write({ event: `consent.${event}`, user, detail });
}

/**
 * A request that did not reach the protocol. One without any token has no row: that is noise of other programs, not
 * somebody's attempt.
 */
export function recordRefusal(audit: Audit, reason: string, caller: string | undefined): void {
  if (reason === "no token") return;
  void audit.write({
    event: "mcp.refused",
    user: caller === undefined ? "unknown" : `token:${caller}`,
    detail: { reason },
  });
}
