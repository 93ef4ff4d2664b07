import type { Clock } from "../../loopback/clock.ts";
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

export const REFUSED_ROWS = {
  /** Of one caller, all callers without a known token being one. */
  perWindow: 20,
  windowMs: 60_000,
} as const;

/**
 * Records requests that did not reach the protocol. Whoever is refused without end gets a bounded number of rows and then
 * a count: such rows would fill the disk, and make the audit lose those that matter.
 */
export function refusalRecords(
  audit: Pick<Audit, "write">,
  clock: Pick<Clock, "nowMs">,
): (reason: string, caller: string | undefined) => void {
  const windows = new Map<string, { sinceMs: number; rows: number; unrecorded: number }>();
  return (reason, caller) => {
    const user = caller === undefined ? "unknown" : `token:${caller}`;
    const nowMs = clock.nowMs();
    const before = windows.get(user);
    const current =
      before !== undefined && nowMs - before.sinceMs < REFUSED_ROWS.windowMs
        ? before
        : { sinceMs: nowMs, rows: 0, unrecorded: before?.unrecorded ?? 0 };
    windows.set(user, current);
    if (current.rows >= REFUSED_ROWS.perWindow) {
      current.unrecorded += 1;
      return;
    }
    const { unrecorded } = current;
    current.rows += 1;
    current.unrecorded = 0;
    const detail = { reason, ...(unrecorded === 0 ? {} : { unrecorded }) };
    void audit.write({ event: "mcp.refused", user, detail }); // never rejects
  };
}
