import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { maskOf } from "../secrets/masker.ts";
import type { BreakerFailureRow, BreakerRow } from "../store/breakers.ts";
import type { Tx } from "../store/writer.ts";
import { afterFailure, closed, halfOpen, probeAtMs } from "./breaker-state.ts";
import { announceBreaker } from "./notices.ts";

/** Whose calls a breaker counts. */
export interface BreakerTarget {
  environmentId: string;
  functionId: string;
  endpoint: string;
}

type Replace = (text: string) => string;

export interface Breakers {
  /** May a call to this target begin? A half-open breaker lets one through, as its probe. */
  permit(tx: Tx, target: BreakerTarget): "call" | "probe" | "refuse";
  /** Whether runs of this target are held back: the breaker is not closed. */
  holdsBack(target: BreakerTarget): boolean;
  /** What became of a permitted call. Only the probe decides about a half-open breaker. */
  succeeded(tx: Tx, target: BreakerTarget, probe: boolean): void;
  failed(tx: Tx, target: BreakerTarget, probe: boolean, reason: string, runId: string): void;
  /** A permitted call was not made: nothing is known, and another one may be the probe. */
  notCalled(tx: Tx, target: BreakerTarget, probe: boolean): void;
  /** Closed breakers whose last change is older than a day are left out. In order of key. */
  list(environmentId: string): BreakerRow[];
  /** The last failures of a breaker, newest first. @throws ApiError not_found */
  failures(environmentId: string, key: string, limit: number): BreakerFailureRow[];
  /** Replaces the reasons of the failures that a run's calls brought. */
  redact(tx: Tx, run: { id: string; environment_id: string; function_id: string }, replace: Replace): void;
  /** The wall clock was set: an open breaker stays open as long as it would have. */
  followClock(tx: Tx, byMs: number): void;
  /** @throws ApiError not_found */
  reset(tx: Tx, environmentId: string, key: string): BreakerRow;
  /** Arms the clocks of breakers that were open when the engine stopped. */
  start(): void;
  stop(): void;
}

/** After a breaker could not be stored as half-open, ms. */
const expireRetryMs = 1_000;

const closedListedMs = 86_400_000;

/** Goes back verbatim as one percent-encoded path segment, so it holds nothing that a path may not hold. */
export function breakerKey(target: BreakerTarget): string {
  const key = `${target.environmentId}:${target.functionId}:${new URL(target.endpoint).href}`;
  return key.replaceAll("\\", "%5C");
}

function fresh(key: string, target: BreakerTarget, nowMs: number): BreakerRow {
  return {
    key,
    environment_id: target.environmentId,
    function_id: target.functionId,
    endpoint: target.endpoint,
    state: "closed",
    consecutive_fails: 0,
    opened_at: null,
    last_failure_at: null,
    last_failure_reason: null,
    updated_at: nowMs,
  };
}

export function createBreakers(core: () => Core, stored: BreakerRow[]): Breakers {
  const rows = new Map(stored.map((row) => [row.key, row]));
  /** Half-open breakers whose one probe is under way. */
  const probing = new Set<string>();
  const clocks = new Map<string, () => void>();

  function put(tx: Tx, row: BreakerRow): BreakerRow {
    const { store, dispatcher } = core();
    const before = rows.get(row.key);
    // Before the store is asked: it may refuse, and then memory must not believe it.
    tx.onRollback(() => {
      if (before === undefined) rows.delete(row.key);
      else rows.set(row.key, before);
    });
    rows.set(row.key, row);
    store.breakers.put(row);
    if (before?.state === row.state || (before === undefined && row.state === "closed")) return row;
    announceBreaker(core(), tx, row);
    if (row.state === "open") store.runs.markDeferred(row.environment_id, row.function_id, tx.nowMs);
    tx.afterCommit(() => {
      arm(row);
      if (row.state !== "open") dispatcher.wake(row.environment_id, row.function_id);
    });
    return row;
  }

  function arm(row: BreakerRow): void {
    clocks.get(row.key)?.();
    clocks.delete(row.key);
    if (row.state !== "open") return;
    const { clock, writer, log } = core();
    const expire = () => {
      writer
        .write((tx) => {
          const now = rows.get(row.key);
          if (now?.state === "open" && probeAtMs(now) <= tx.nowMs) put(tx, halfOpen(now, tx.nowMs));
          else if (now?.state === "open") tx.afterCommit(() => arm(now));
        })
        .catch((error: unknown) => {
          log.error({ err: error, breaker: row.key }, "breaker could not go half-open, trying again");
          clocks.set(row.key, clock.after(expireRetryMs, expire));
        });
    };
    clocks.set(row.key, clock.after(probeAtMs(row) - clock.nowMs(), expire));
  }

  function endProbe(tx: Tx, key: string): void {
    if (!probing.delete(key)) return;
    tx.onRollback(() => probing.add(key));
  }

  return {
    permit: (tx, target) => {
      const key = breakerKey(target);
      const row = rows.get(key);
      if (row === undefined || row.state === "closed") return "call";
      if (row.state === "open" || probing.has(key)) return "refuse";
      probing.add(key);
      tx.onRollback(() => probing.delete(key));
      return "probe";
    },
    holdsBack: (target) => (rows.get(breakerKey(target))?.state ?? "closed") !== "closed",
    succeeded: (tx, target, probe) => {
      const key = breakerKey(target);
      if (probe) endProbe(tx, key);
      const row = rows.get(key);
      // An answer to a call from before the breaker opened proves nothing about now.
      if (row === undefined || (row.state !== "closed" && !probe)) return;
      if (row.state !== "closed" || row.consecutive_fails > 0) put(tx, closed(row, tx.nowMs));
    },
    failed: (tx, target, probe, reason, runId) => {
      const key = breakerKey(target);
      if (probe) endProbe(tx, key);
      const before = rows.get(key) ?? fresh(key, target, tx.nowMs);
      // Masked before it is cut: half of a secret would not be known as one.
      const owner = { environment_id: target.environmentId, function_id: target.functionId };
      const masked = maskOf(core(), tx, owner);
      const after = put(tx, afterFailure(before, probe, masked(reason), tx.nowMs));
      core().store.breakers.addFailure({
        key,
        run_id: runId,
        reason: after.last_failure_reason ?? "",
        opened: after.state === "open" && before.state !== "open" ? 1 : 0,
        failed_at: tx.nowMs,
      });
    },
    failures: (environmentId, key, limit) => {
      if (rows.get(key)?.environment_id !== environmentId) {
        throw new ApiError("not_found", "circuit breaker not found");
      }
      return core().store.breakers.failures(key, limit);
    },
    notCalled: (tx, target, probe) => {
      if (probe) endProbe(tx, breakerKey(target));
    },
    list: (environmentId) => {
      const oldest = core().clock.nowMs() - closedListedMs;
      return [...rows.values()]
        .filter((row) => row.environment_id === environmentId)
        .filter((row) => row.state !== "closed" || row.updated_at >= oldest)
        .sort((a, b) => (a.key < b.key ? -1 : 1));
    },
    redact: (tx, run, replace) => {
      const { breakers } = core().store;
      for (const row of rows.values()) {
        if (row.environment_id !== run.environment_id || row.function_id !== run.function_id) continue;
        const own = breakers.failuresOfRun(row.key, run.id);
        for (const failure of own) breakers.setReason(failure.id, replace(failure.reason));
        const last = row.last_failure_reason;
        if (last !== null && own.some(({ reason }) => reason === last)) {
          put(tx, { ...row, last_failure_reason: replace(last) });
        }
      }
    },
    followClock: (tx, byMs) => {
      for (const row of rows.values()) {
        if (row.state === "open") put(tx, { ...row, opened_at: (row.opened_at ?? tx.nowMs) + byMs });
      }
    },
    reset: (tx, environmentId, key) => {
      const row = rows.get(key);
      if (row === undefined || row.environment_id !== environmentId) {
        throw new ApiError("not_found", "circuit breaker not found");
      }
      endProbe(tx, key);
      return put(tx, closed(row, tx.nowMs));
    },
    start: () => {
      for (const row of rows.values()) arm(row);
    },
    stop: () => {
      for (const cancel of clocks.values()) cancel();
      clocks.clear();
    },
  };
}
