import type { Core } from "../core.ts";
import type { TimerKind } from "../store/timers.ts";
import type { Tx } from "../store/writer.ts";
import { recallSchedules } from "./schedules.ts";

/** What is measured against a partner on this machine, for which no time has passed either. */
const partnersTimers: readonly TimerKind[] = ["lease", "invoke_timeout"];
/** Lengths of time that a person or a function asked for. */
const lengths: readonly TimerKind[] = ["retry", "wait_timeout"];

/**
 * The wall clock was set, or the machine slept. What the store holds as a moment but means as a length of time keeps its
 * length: a clock that goes back must not hold a retry for a day, one that goes forward must not take a job from a worker
 * that is alive. Forward, retries, waits for an event and debounces end as the clock says: a sleeping laptop is the
 * usual reason, and people count those hours. A sleep names a moment, so the clock alone decides about it.
 */
export function followClock(core: Core, tx: Tx, byMs: number): void {
  const { timers, runs, steps, debounces, outbox, groupDeliveries } = core.store;
  core.log.warn({ byMs }, "the wall clock was set");
  timers.shift(partnersTimers, byMs);
  runs.shiftLeases(byMs);
  groupDeliveries.shift(byMs);
  core.breakers.followClock(tx, byMs);
  if (byMs < 0) {
    timers.shift(lengths, byMs);
    steps.shiftWaits(byMs);
    debounces.shift(byMs);
    outbox.shift(byMs);
    recallSchedules(core, tx);
  }
  core.timers.wakeAt(tx, tx.nowMs);
  tx.afterCommit(() => core.outboxRelay.wake());
}
