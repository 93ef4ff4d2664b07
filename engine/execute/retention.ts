import type { Core } from "../core.ts";
import { TERMINAL_RUN_STATUSES } from "../contract/enums.ts";
import { oldestRuns } from "../store/run-list.ts";
import { removeRun } from "./commands.ts";
import { announceRun } from "./notices.ts";

/** What may be forgotten. Without a rule nothing is. */
export interface RetentionRules {
  /** Runs at their end, events, dead letters and audit rows that are older go. */
  days?: number | undefined;
  /**
   * Of the runs at their end the oldest beyond so many go, and so do the oldest events beyond so many. Nothing of the last
   * 30 days goes by count, unless `days` says that it may.
   */
  count?: number | undefined;
}

export interface Retention {
  /** The age rule, for those who ask how long things are kept. */
  days: number | undefined;
  start(): void;
  stop(): void;
  /** Forgets what the rules let go. Resolves when nothing is left to forget, or the engine stops. */
  sweep(): Promise<void>;
}

const dayMs = 86_400_000;
const safeDays = 30;
const everyMs = 600_000;
/** Rows removed in one transaction: it bounds the time the engine answers nothing else. */
const batch = 200;

export function createRetention(core: () => Core, rules: RetentionRules): Retention {
  let stopped = true;
  let cancel: (() => void) | undefined;

  /** Before this moment rows go by age; before the other one they may go by count. */
  function limits(): { byAgeMs: number | undefined; byCountMs: number | undefined } {
    const nowMs = core().clock.nowMs();
    return {
      byAgeMs: rules.days === undefined ? undefined : nowMs - rules.days * dayMs,
      byCountMs:
        rules.count === undefined ? undefined : nowMs - Math.min(safeDays, rules.days ?? safeDays) * dayMs,
    };
  }

  function removeRuns(environmentId: string, untilMs: number, limit: number): Promise<number> {
    return core().writer.write((tx) => {
      const runs = oldestRuns(core().store.db, {
        environmentId,
        statuses: TERMINAL_RUN_STATUSES,
        untilMs,
        limit,
      }).filter((run) => (run.ended_at ?? run.created_at) < untilMs);
      for (const run of runs) {
        removeRun(core(), run);
        announceRun(core(), tx, run, "deleted");
      }
      return runs.length;
    });
  }

  async function sweepEnvironment(environmentId: string): Promise<void> {
    const { store, writer } = core();
    const { byAgeMs, byCountMs } = limits();
    const until = async (step: () => Promise<number>) => {
      for (;;) {
        if (stopped || (await step()) === 0) return;
      }
    };
    if (byAgeMs !== undefined) {
      await until(() => removeRuns(environmentId, byAgeMs, batch));
      await until(() => writer.write(() => store.age.deleteBefore(environmentId, byAgeMs, batch)));
    }
    if (byCountMs === undefined || rules.count === undefined) return;
    const keep = rules.count;
    await until(async () => {
      const surplus = store.runs.count(environmentId, TERMINAL_RUN_STATUSES) - keep;
      return surplus <= 0 ? 0 : removeRuns(environmentId, byCountMs, Math.min(batch, surplus));
    });
    await until(() =>
      writer.write(() => store.age.deleteSurplusEvents(environmentId, keep, byCountMs, batch)),
    );
  }

  async function sweep(): Promise<void> {
    if (rules.days === undefined && rules.count === undefined) return;
    for (const { id } of core().store.environments.environments()) await sweepEnvironment(id);
  }

  function look(): void {
    sweep()
      .catch((error: unknown) => core().log.error({ err: error }, "old rows could not be removed"))
      .finally(() => {
        if (!stopped) cancel = core().clock.after(everyMs, look);
      });
  }

  return {
    days: rules.days,
    start: () => {
      stopped = false;
      if (rules.days !== undefined || rules.count !== undefined) cancel = core().clock.after(0, look);
    },
    stop: () => {
      stopped = true;
      cancel?.();
    },
    sweep,
  };
}
