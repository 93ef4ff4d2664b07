import type { Core } from "../core.ts";
import type { ListenerRow } from "../store/listeners.ts";
import type { EventView } from "./event-view.ts";
import { compileExpression } from "./expression.ts";
import { matchKey, valueAtPath } from "./match.ts";

/**
 * Listeners that an event may satisfy: those without a key, then those that compare a path and hold the event's value at
 * it. Of these only the expressions have still to be evaluated.
 */
export function* mayReach(
  core: Core,
  event: { readonly environment_id: string; readonly name: string },
  view: EventView,
): Generator<ListenerRow> {
  const { listeners } = core.store;
  yield* listeners.unkeyed(event.environment_id, event.name);
  for (const path of listeners.paths(event.environment_id, event.name)) {
    const key = matchKey(valueAtPath(view.exact(), path));
    if (key !== null) yield* listeners.keyed(event.environment_id, event.name, path, key);
  }
}

/** True or false, or the reason why it cannot be said. */
export function evaluate(expression: string, view: EventView): { hit: boolean } | { problem: string } {
  try {
    return { hit: compileExpression(expression, "expression").test(view.plain(), view.budget) };
  } catch (error) {
    if (error instanceof Error) return { problem: error.message };
    throw error;
  }
}
