import { toTimestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { toJsonText } from "../json/json-text.ts";
import type { NewEvent } from "../store/events.ts";
import type { ScheduleRow } from "../store/schedules.ts";
import type { Tx } from "../store/writer.ts";
import { createRun } from "./create-run.ts";
import { laterFiringMs, nextFiringMs } from "./cron.ts";
import type { DueSource } from "./due-source.ts";
import { announceEvent } from "./notices.ts";
import type { RegisteredFunction } from "./registry.ts";

/** Makes the stored schedules of a function those of its cron triggers. One that stays keeps its next time. */
export function keepSchedules(core: Core, tx: Tx, fn: RegisteredFunction): void {
  const { schedules } = core.store;
  const { environment_id: environmentId, id } = fn.row;
  const wanted = new Set(
    (fn.config.triggers ?? []).flatMap(({ cron }) => (cron === undefined ? [] : [cron])),
  );
  for (const { expression } of schedules.byFunction(environmentId, id)) {
    if (!wanted.delete(expression)) schedules.delete(environmentId, id, expression);
  }
  for (const expression of wanted) {
    const nextAt = nextFiringMs(expression, tx.nowMs, "cron");
    schedules.put({
      environment_id: environmentId,
      function_id: id,
      expression,
      next_at: nextAt,
      last_at: null,
    });
    core.timers.wakeAt(tx, nextAt);
  }
}

/**
 * Times that passed while the engine was stopped, or were jumped over by the clock, fire once. A function that is not
 * active lets its times pass.
 */
export const scheduleSource: DueSource<ScheduleRow> = {
  name: "schedule",
  earliest: (store, limit) => store.schedules.earliest(limit),
  reread: (store, row) => store.schedules.get(row.environment_id, row.function_id, row.expression),
  dueAt: (row) => row.next_at,
  key: (row) => `${row.environment_id} ${row.function_id} ${row.expression}`,
  fire: fireSchedule,
};

function fireSchedule(core: Core, tx: Tx, row: ScheduleRow): void {
  const { schedules, events } = core.store;
  const fn = core.registry.get(row.environment_id, row.function_id);
  const next = laterFiringMs(row.expression, tx.nowMs);
  if (fn === undefined || next === undefined) {
    schedules.delete(row.environment_id, row.function_id, row.expression);
  } else schedules.put({ ...row, next_at: next, last_at: row.next_at });
  if (fn?.row.status !== "active") return;
  const event: NewEvent = {
    id: core.ids.next("evt"),
    environment_id: row.environment_id,
    name: `cron.${row.function_id}`,
    data: toJsonText({ cron: row.expression, scheduled_at: toTimestamp(row.next_at) }).text,
    metadata: null,
    source: "cron",
    version: 1,
    idempotency_key: null,
    run_id: null,
    timestamp: tx.nowMs,
  };
  const seq = events.insert(event);
  announceEvent(core, tx, { ...event, seq });
  createRun(core, tx, fn, event);
}

/** A clock that went back by more than this was wrong before: schedules do not wait until it is there again, ms. */
const longestSilenceMs = 86_400_000;

/** The clock went back: no time fires twice, but no schedule is silent for more than a day longer than it should be. */
export function recallSchedules(core: Core, tx: Tx): void {
  for (const row of core.store.schedules.all()) {
    const next = laterFiringMs(row.expression, tx.nowMs);
    if (next === undefined || next >= row.next_at - longestSilenceMs) continue;
    core.store.schedules.put({ ...row, next_at: next });
    core.timers.wakeAt(tx, next);
  }
}
