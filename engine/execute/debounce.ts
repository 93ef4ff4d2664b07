import type { Core } from "../core.ts";
import type { DebounceRow } from "../store/debounces.ts";
import type { NewEvent } from "../store/events.ts";
import type { Tx } from "../store/writer.ts";
import { createRun } from "./create-run.ts";
import type { DueSource } from "./due-source.ts";
import type { EventView } from "./event-view.ts";
import { keyOf } from "./key.ts";
import type { RegisteredFunction } from "./registry.ts";

/** Holds an event of a debounced function: only the newest of its key starts a run, once none came for the period. */
export function debounceEvent(
  core: Core,
  tx: Tx,
  fn: RegisteredFunction,
  event: NewEvent,
  view: EventView,
): void {
  const { periodMs = 0, key: text, maxWaitMs } = fn.config.debounce ?? {};
  const key = keyOf(text, view) || "null";
  const before = core.store.debounces.get(fn.row.environment_id, fn.row.id, key);
  const firstAt = before?.first_at ?? tx.nowMs;
  const latest = maxWaitMs === undefined ? Number.POSITIVE_INFINITY : firstAt + maxWaitMs;
  const dueAt = Math.min(tx.nowMs + periodMs, latest);
  core.store.debounces.put({
    environment_id: fn.row.environment_id,
    function_id: fn.row.id,
    key,
    event_id: event.id,
    events: (before?.events ?? 0) + 1,
    first_at: firstAt,
    due_at: dueAt,
  });
  core.timers.wakeAt(tx, dueAt);
}

/** Starts the run of an entry whose period is over. A function that is paused or archived meanwhile gets none. */
export const debounceSource: DueSource<DebounceRow> = {
  name: "debounce",
  earliest: (store, limit) => store.debounces.earliest(limit),
  reread: (store, row) => store.debounces.get(row.environment_id, row.function_id, row.key),
  dueAt: (row) => row.due_at,
  key: (row) => `${row.environment_id} ${row.function_id} ${row.key}`,
  fire: (core, tx, entry) => {
    core.store.debounces.delete(entry.environment_id, entry.function_id, entry.key);
    const fn = core.registry.get(entry.environment_id, entry.function_id);
    const event = core.store.events.get(entry.environment_id, entry.event_id);
    if (fn?.row.status === "active" && event !== undefined) createRun(core, tx, fn, event);
  },
};
