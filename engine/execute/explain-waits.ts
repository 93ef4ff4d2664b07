import type { Core } from "../core.ts";
import type { ListenerRow } from "../store/listeners.ts";
import type { EventView } from "./event-view.ts";
import { evaluate, mayReach } from "./listening.ts";
import { matchKey, valueAtPath } from "./match.ts";

/** What an event does, or did, to a run that listens for its name. */
export type WaitDecision =
  | "resume"
  | "cancel"
  /** This very event did it. */
  | "resumed"
  | "not_matched"
  | "invalid_expression"
  | "deduplicated";

export interface WaitVerdict {
  run_id: string;
  function_id: string;
  /** `wait`: the run is held in a step. `cancel`: its function names events that end it. */
  kind: "wait" | "cancel";
  /** Name of the step that waits. */
  step?: string | undefined;
  /** The path or expression that decides; absent where any event of the name will do. */
  match?: string | undefined;
  decision: WaitDecision;
  matched: boolean;
  /** One sentence. */
  reason: string;
}

/** Runs that one answer tells of: those that the event reaches come first. */
export const MAX_WAITS_TOLD = 100;

/** An event that is looked at. */
interface Looked {
  readonly id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly stored: boolean;
}

/**
 * Judges an event by the runs that listen for its name now, and tells which it let go on already; changes nothing.
 * `total` counts all of them.
 */
export function explainWaits(
  core: Core,
  event: Looked,
  view: EventView,
): { waiting: WaitVerdict[]; total: number } {
  const { listeners, steps } = core.store;
  const settled = event.stored ? steps.byWaitEvent(event.id) : [];
  const resumed = settled.slice(0, MAX_WAITS_TOLD).map((step): WaitVerdict => ({
    run_id: step.run_id,
    function_id: core.store.runs.get(step.run_id)?.function_id ?? "",
    kind: "wait",
    step: step.name,
    match: step.wait_match ?? undefined,
    decision: "resumed",
    matched: true,
    reason: "the event let the run go on",
  }));
  const seen = new Set<number>();
  const open: WaitVerdict[] = [];
  const look = (listener: ListenerRow) => {
    if (seen.has(listener.id)) return;
    seen.add(listener.id);
    open.push(judge(core, listener, view));
  };
  for (const listener of mayReach(core, event, view)) look(listener);
  for (const listener of listeners.byName(event.environment_id, event.name, MAX_WAITS_TOLD)) look(listener);
  const told = [...resumed, ...open.filter((one) => one.matched), ...open.filter((one) => !one.matched)];
  return {
    waiting: told.slice(0, MAX_WAITS_TOLD),
    total: settled.length + listeners.countByName(event.environment_id, event.name),
  };
}

function judge(core: Core, listener: ListenerRow, view: EventView): WaitVerdict {
  const step = listener.step_id === null ? undefined : core.store.steps.get(listener.step_id);
  const told = {
    run_id: listener.run_id,
    function_id: core.store.runs.get(listener.run_id)?.function_id ?? "",
    kind: listener.kind,
    step: step?.name,
    match: listener.grammar === "any" ? undefined : listener.expression,
  };
  const { hit, reason } = verdictOf(listener, view);
  if (hit === undefined) return { ...told, decision: "invalid_expression", matched: false, reason };
  if (!hit) return { ...told, decision: "not_matched", matched: false, reason };
  return listener.kind === "cancel"
    ? { ...told, decision: "cancel", matched: true, reason: `it cancels the run: ${reason}` }
    : { ...told, decision: "resume", matched: true, reason: `it lets the run go on: ${reason}` };
}

/** `hit` is undefined where it cannot be said. */
function verdictOf(listener: ListenerRow, view: EventView): { hit: boolean | undefined; reason: string } {
  if (listener.grammar === "any") return { hit: true, reason: "any event of this name will do" };
  if (listener.grammar === "path") {
    // Routing finds those of the right key by index; here the others are told of too, with what they wait for.
    const path = listener.expression;
    const key = matchKey(valueAtPath(view.exact(), path));
    const found = key === null ? "absent" : key;
    const wanted = listener.match_key ?? "something that no event has";
    return key !== null && key === listener.match_key
      ? { hit: true, reason: `${path} is ${found}` }
      : { hit: false, reason: `${path} is ${found}, and the run waits for ${wanted}` };
  }
  const answer = evaluate(listener.expression, view);
  return "hit" in answer
    ? { hit: answer.hit, reason: `the expression is ${answer.hit}: ${listener.expression}` }
    : { hit: undefined, reason: answer.problem };
}
