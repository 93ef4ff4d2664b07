import { BREAKER } from "../contract/operations.ts";
import type { BreakerRow } from "../store/breakers.ts";

/** The breaker's rules, without clock, store or run. Each answers the row as it is afterwards. */

/**
 * One more failed call. A failed probe opens again at once. A call that began before the breaker opened is counted, but
 * neither prolongs an open breaker nor decides about a half-open one.
 */
export function afterFailure(row: BreakerRow, probe: boolean, reason: string, nowMs: number): BreakerRow {
  const fails = row.consecutive_fails + 1;
  const opens =
    row.state === "closed" ? fails >= BREAKER.opensAfterFailures : row.state === "half-open" && probe;
  return {
    ...row,
    state: opens ? "open" : row.state,
    consecutive_fails: fails,
    opened_at: opens ? nowMs : row.opened_at,
    last_failure_at: nowMs,
    last_failure_reason: reason.slice(0, BREAKER.reasonMaxChars),
    updated_at: nowMs,
  };
}

/** A success while closed, a probe's success, or a person's reset. The failure history stays. */
export function closed(row: BreakerRow, nowMs: number): BreakerRow {
  return { ...row, state: "closed", consecutive_fails: 0, opened_at: null, updated_at: nowMs };
}

/** When an open breaker lets a probe through, ms since 1970. */
export function probeAtMs(row: BreakerRow): number {
  return (row.opened_at ?? 0) + BREAKER.openMs;
}

export function halfOpen(row: BreakerRow, nowMs: number): BreakerRow {
  return { ...row, state: "half-open", updated_at: nowMs };
}
