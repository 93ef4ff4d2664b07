import { FUNCTION_DEFAULTS } from "../contract/functions.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { readJson } from "../json/json-text.ts";
import type { NewEvent } from "../store/events.ts";
import type { RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import { viewEvent } from "./event-view.ts";
import { keyOf } from "./key.ts";
import { eventScope, matchKey, parseMatch, valueAtPath } from "./match.ts";
import { announceRun } from "./notices.ts";
import type { RegisteredFunction } from "./registry.ts";

/** A run may stand under this many others: a function that invokes itself without end is stopped. */
const maxDepth = 32;

export interface Parent {
  run: RunRow;
  /** The step that waits for the child; null when nobody waits. */
  stepId: string | null;
}

/** Makes a run and begins it at once when there is room. */
export function createRun(
  core: Core,
  tx: Tx,
  fn: RegisteredFunction,
  event: NewEvent,
  parent?: Parent,
): RunRow {
  const { environment_id: environmentId, id: functionId } = fn.row;
  const depth = parent === undefined ? 0 : parent.run.depth + 1;
  if (depth > maxDepth) {
    throw new ApiError("failed_precondition", `runs are nested deeper than ${maxDepth}`);
  }
  const laneKey = keyOf(fn.config.concurrency?.key, viewEvent(event));
  const admission = core.dispatcher.admit(tx, environmentId, functionId, laneKey);
  const run = core.store.runs.insert(
    {
      id: core.ids.next("run"),
      environment_id: environmentId,
      function_id: functionId,
      function_version: fn.row.version,
      event_id: event.id,
      event_name: event.name,
      execution_mode: fn.config.preferredMode,
      max_attempts: fn.config.retry?.maxAttempts ?? FUNCTION_DEFAULTS.maxAttempts,
      input: event.data,
      parent_run_id: parent?.run.id ?? null,
      parent_step_id: parent?.stepId ?? null,
      depth,
      lane_key: laneKey,
    },
    tx.nowMs,
    admission.kind,
  );
  listenForCancel(core, fn, run, event);
  announceRun(core, tx, run, "created");
  if (admission.kind === "claimed") core.dispatcher.launch(tx, run, admission.permit);
  return run;
}

/** Stores what would cancel the run: its function's cancelOn, compared with the run's own event. */
export function listenForCancel(core: Core, fn: RegisteredFunction, run: RunRow, event: NewEvent): void {
  for (const { event: eventName, match: text } of fn.config.cancelOn ?? []) {
    const match = parseMatch(text);
    core.store.listeners.add({
      environment_id: run.environment_id,
      event_name: eventName,
      kind: "cancel",
      grammar: match.grammar,
      expression: match.grammar === "path" ? match.path : match.grammar === "cel" ? match.expression : "",
      match_key:
        match.grammar === "path" ? matchKey(valueAtPath(eventScope(event, readJson), match.path)) : null,
      run_id: run.id,
      step_id: null,
    });
  }
}
