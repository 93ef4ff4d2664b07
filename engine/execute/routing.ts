import type { Trigger } from "../contract/functions.ts";
import type { Core } from "../core.ts";
import type { NewEvent } from "../store/events.ts";
import type { ListenerRow } from "../store/listeners.ts";
import type { RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import { createRun } from "./create-run.ts";
import { storeDeadLetter } from "./dead-letters.ts";
import { debounceEvent } from "./debounce.ts";
import { deliver } from "./deliver.ts";
import { viewEvent, type EventView } from "./event-view.ts";
import { createFanOut, type FanOut } from "./fan-out.ts";
import { evaluate, mayReach } from "./listening.ts";
import type { RegisteredFunction } from "./registry.ts";

/** What an event has to reach. */
export interface RoutingPlan {
  /** Of runs that it wakes or cancels. */
  listeners: ListenerRow[];
  /** Functions that start a run, or put one off. */
  functions: RegisteredFunction[];
}

/**
 * Brings a stored event to everything that waits for it: first the runs it wakes or cancels, then the runs it starts.
 * An expression that cannot be evaluated on this event becomes a dead letter; everything else goes on. What reaches more
 * runs than one change may is told what it reaches now, and brought there slice by slice: see `Routings`.
 * @returns the runs it started in this change
 */
export function routeEvent(
  core: Core,
  tx: Tx,
  event: NewEvent,
  { fanOut = createFanOut(), outboxSeq = null }: { fanOut?: FanOut; outboxSeq?: number | null } = {},
): RunRow[] {
  const scope = viewEvent(event);
  const steps = scope.budget.left;
  const plan: RoutingPlan = { listeners: listenersFor(core, tx, event, scope), functions: [] };
  for (const fn of core.registry.triggeredBy(event.environment_id, event.name)) {
    const verdict = judgeTriggers(core, fn, event.name, scope);
    for (const { problem } of verdict.problems) {
      storeDeadLetter(core, tx, event, {
        source: "routing",
        error: problem,
        functionId: fn.row.id,
        runId: null,
      });
    }
    if (verdict.trigger !== undefined) plan.functions.push(fn);
  }
  const runs = plan.listeners.length + plan.functions.length;
  fanOut.add(runs, steps - scope.budget.left);
  if (fanOut.fits(runs)) return reach(core, tx, event, plan, scope);
  core.routings.add(tx, event, plan, outboxSeq);
  return [];
}

/** Wakes, cancels, starts and puts off what the plan names. */
export function reach(
  core: Core,
  tx: Tx,
  event: NewEvent,
  plan: RoutingPlan,
  scope: EventView = viewEvent(event),
): RunRow[] {
  for (const listener of plan.listeners) deliver(core, tx, event, listener);
  const started: RunRow[] = [];
  for (const fn of plan.functions) {
    if (fn.config.debounce === undefined) started.push(createRun(core, tx, fn, event));
    else debounceEvent(core, tx, fn, event, scope);
  }
  return started;
}

export interface Verdict {
  /** The trigger that fires. */
  trigger?: Trigger;
  /** Expressions that could not be evaluated on this event before one fired. */
  problems: { trigger: Trigger; problem: string }[];
}

/** Whether an event of this name fires one of a function's triggers. */
export function judgeTriggers(
  core: Core,
  fn: RegisteredFunction,
  eventName: string,
  scope: EventView,
): Verdict {
  const problems: Verdict["problems"] = [];
  for (const trigger of core.registry.triggersOf(fn, eventName)) {
    if (trigger.expression === undefined) return { trigger, problems };
    const answer = evaluate(trigger.expression, scope);
    if ("problem" in answer) problems.push({ trigger, problem: answer.problem });
    else if (answer.hit) return { trigger, problems };
  }
  return { problems };
}

/** Listeners that this event satisfies. Of many runs with one broken expression only the first makes a dead letter. */
function listenersFor(core: Core, tx: Tx, event: NewEvent, scope: EventView): ListenerRow[] {
  const found: ListenerRow[] = [];
  const broken = new Set<string>();
  for (const listener of mayReach(core, event, scope)) {
    const answer = listener.grammar === "cel" ? evaluate(listener.expression, scope) : { hit: true };
    if ("hit" in answer) {
      if (answer.hit) found.push(listener);
      continue;
    }
    const functionId = core.store.runs.get(listener.run_id)?.function_id ?? null;
    const key = `${functionId} ${listener.kind} ${listener.expression}`;
    if (broken.has(key)) continue;
    broken.add(key);
    const source = listener.kind === "wait" ? "resume" : "routing";
    storeDeadLetter(core, tx, event, { source, error: answer.problem, functionId, runId: listener.run_id });
  }
  return found;
}
