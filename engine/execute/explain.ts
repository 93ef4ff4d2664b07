import type { Core } from "../core.ts";
import type { EventRow } from "../store/events.ts";
import { viewEvent } from "./event-view.ts";
import { explainWaits, type WaitVerdict } from "./explain-waits.ts";
import { keyOf } from "./key.ts";
import type { RegisteredFunction } from "./registry.ts";
import { judgeTriggers } from "./routing.ts";

/** What became, or would become, of an event in one function. */
export type Decision =
  | "run"
  | "not_matched"
  | "invalid_expression"
  | "paused"
  | "archived"
  | "deduplicated"
  | "debounced"
  | "no_capacity"
  | "breaker_open";

export interface FunctionVerdict {
  function_id: string;
  function_version: number;
  decision: Decision;
  /** A trigger names the event and its expression, if any, holds. */
  matched: boolean;
  /** One sentence. */
  reason: string;
  trigger?: { event?: string | undefined; expression?: string | undefined };
  /** The run this very event started. */
  run_id?: string;
  debounce?: { key: string; period_ms: number; due_at_ms: number | undefined };
  concurrency?: { key: string; limit: number | undefined; waiting: number };
}

/** An event that is stored, or one that somebody thinks of sending. */
export type Probe = Pick<
  EventRow,
  "id" | "environment_id" | "name" | "data" | "metadata" | "source" | "timestamp" | "idempotency_key"
> & { stored: boolean };

export interface Explained {
  /** The event that has already used the key of a proposed one. */
  deduplicated_by: string | undefined;
  functions: FunctionVerdict[];
  /** Runs that listen for an event of this name, at most `MAX_WAITS_TOLD`. */
  waiting: WaitVerdict[];
  /** How many there are. */
  waiting_total: number;
}

/** Judges an event by the functions as they are registered now, and by the runs that wait now; changes nothing. */
export function explainEvent(core: Core, probe: Probe): Explained {
  const duplicate =
    probe.stored || probe.idempotency_key === null
      ? undefined
      : core.store.idempotency.get({
          environmentId: probe.environment_id,
          operation: "emit",
          subject: probe.name,
          key: probe.idempotency_key,
        });
  const runs = new Map(
    probe.stored ? core.store.runs.byEvent(probe.id).map((run) => [run.function_id, run.id]) : [],
  );
  const functions = core.registry.list(probe.environment_id).map((fn): FunctionVerdict => {
    const verdict = { ...judge(core, fn, probe), function_id: fn.row.id, function_version: fn.row.version };
    const runId = runs.get(fn.row.id);
    if (runId !== undefined) {
      return { ...verdict, decision: "run", reason: "the event started a run", run_id: runId };
    }
    if (duplicate === undefined || !verdict.matched) return verdict;
    return { ...verdict, decision: "deduplicated", reason: usedBy(duplicate.eventId) };
  });
  const { waiting, total } = explainWaits(core, probe, viewEvent(probe));
  return {
    deduplicated_by: duplicate?.eventId,
    functions,
    waiting: waiting.map((verdict) =>
      duplicate === undefined || !verdict.matched
        ? verdict
        : { ...verdict, decision: "deduplicated", reason: usedBy(duplicate.eventId) },
    ),
    waiting_total: total,
  };
}

const usedBy = (eventId: string): string => `the idempotency key was used by event ${eventId}`;

type Judgement = Omit<FunctionVerdict, "function_id" | "function_version">;

function judge(core: Core, fn: RegisteredFunction, probe: Probe): Judgement {
  const view = viewEvent(probe);
  const triggers = core.registry.triggersOf(fn, probe.name);
  if (triggers.length === 0) {
    const events = (fn.config.triggers ?? []).map(({ event, cron }) => event ?? `cron ${cron ?? ""}`);
    const reason =
      events.length === 0 ? "the function has no trigger" : `its triggers name ${events.join(", ")}`;
    return { decision: "not_matched", matched: false, reason };
  }
  const { trigger, problems } = judgeTriggers(core, fn, probe.name, view);
  if (trigger === undefined) {
    const [first] = problems;
    return first === undefined
      ? {
          decision: "not_matched",
          matched: false,
          reason: `the expression is false: ${triggers.map((t) => t.expression ?? "").join(" | ")}`,
          trigger: shown(triggers[0]),
        }
      : {
          decision: "invalid_expression",
          matched: false,
          reason: first.problem,
          trigger: shown(first.trigger),
        };
  }
  const matched = { matched: true, trigger: shown(trigger) };
  if (fn.row.status !== "active") {
    return { ...matched, decision: fn.row.status, reason: `the function is ${fn.row.status}` };
  }
  return { ...matched, ...judgeDispatch(core, fn, probe) };
}

const shown = (trigger: { event?: string | undefined; expression?: string | undefined } | undefined) => ({
  event: trigger?.event,
  expression: trigger?.expression,
});

function judgeDispatch(
  core: Core,
  fn: RegisteredFunction,
  probe: Probe,
): Omit<Judgement, "matched" | "trigger"> {
  const view = viewEvent(probe);
  const { environment_id: environmentId, id } = fn.row;
  const { debounce, concurrency } = fn.config;
  if (debounce !== undefined) {
    const key = keyOf(debounce.key, view) || "null";
    const entry = core.store.debounces.get(environmentId, id, key);
    const superseded = probe.stored && entry?.event_id !== probe.id;
    return {
      decision: "debounced",
      reason: superseded
        ? "a later event of the same key took its place, or a person removed the entry"
        : `a run starts ${debounce.periodMs ?? 0} ms after the last event of its key`,
      debounce: { key, period_ms: debounce.periodMs ?? 0, due_at_ms: entry?.due_at },
    };
  }
  if (core.dispatcher.isHeldBack(environmentId, fn)) {
    return {
      decision: "breaker_open",
      reason: "a run is made and waits until the endpoint's breaker closes",
    };
  }
  const laneKey = keyOf(concurrency?.key, view);
  const waiting = core.store.runs.ready(environmentId, id, laneKey, maxWaitingShown).length;
  const lane = { concurrency: { key: laneKey, limit: concurrency?.limit, waiting } };
  return core.dispatcher.hasRoom(fn, laneKey)
    ? { ...lane, decision: "run", reason: probe.stored ? "it would start a run now" : "it starts a run" }
    : { ...lane, decision: "no_capacity", reason: "a run is made and waits for a slot" };
}

/** Counting further would tell nobody more. */
const maxWaitingShown = 1_000;
