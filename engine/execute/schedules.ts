import { toTimestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { toJsonText } from "../json/json-text.ts";
import type { NewEvent } from "../store/events.ts";
import type { Tx } from "../store/writer.ts";
import { createRun } from "./create-run.ts";
import { nextFiringMs } from "./cron.ts";
import { announceEvent } from "./notices.ts";
import type { RegisteredFunction } from "./registry.ts";

/** Schedules that fire in one change. */
const batch = 100;

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
 * Fires what is due. Times that passed while the engine was stopped, or were jumped over by the clock, fire once. A
 * function that is not active lets its times pass.
 */
export function fireSchedules(core: Core, tx: Tx): void {
  const { schedules, events } = core.store;
  for (const row of schedules.due(tx.nowMs, batch)) {
    const fn = core.registry.get(row.environment_id, row.function_id);
    if (fn === undefined) {
      schedules.delete(row.environment_id, row.function_id, row.expression);
      continue;
    }
    schedules.put({
      ...row,
      next_at: nextFiringMs(row.expression, tx.nowMs, "cron"),
      last_at: row.next_at,
    });
    if (fn.row.status !== "active") continue;
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
    events.insert(event);
    announceEvent(core, tx, event);
    createRun(core, tx, fn, event);
  }
}
