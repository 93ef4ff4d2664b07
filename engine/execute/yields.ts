import { parseExactJson } from "../../loopback/exact-json.ts";
import type { Yield } from "../contract/push.ts";
import type { Core } from "../core.ts";
import { ApiError, messageOf } from "../errors.ts";
import { toJsonText } from "../json/json-text.ts";
import { errorText } from "../secrets/masker.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRecord } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { childError } from "./children.ts";
import { parseDurationMs } from "./duration.ts";
import { invokeFunction } from "./emit.ts";
import { compileExpression } from "./expression.ts";
import { eventScope, matchKey, parseMatch, valueAtPath } from "./match.ts";
import { announceStep } from "./notices.ts";
import { holdRun, makeReady } from "./ready.ts";
import { MAX_STEPS_PER_RUN, withoutNul } from "./record-steps.ts";
import { stepNameOf } from "./step-id.ts";

/** Longest time a run may wait for a child, ms. */
const maxInvokeTimeoutMs = 30 * 86_400_000;

/**
 * Puts a run to wait for what its function asked for. Returns what breaks the protocol, and then nothing was done.
 */
export function applyYield(core: Core, tx: Tx, run: RunRow, wanted: Yield): string | undefined {
  const name = stepNameOf(wanted.step_id, run.id);
  if (name === undefined || wanted.step_id.includes("\0")) {
    return `yield.step_id ${JSON.stringify(wanted.step_id)} must look like ${run.id}:name:0`;
  }
  const known = core.store.steps.get(wanted.step_id);
  // Waiting again for what is already there would go round for ever.
  if (known?.status === "completed")
    return `yield.step_id ${JSON.stringify(wanted.step_id)} is already completed`;
  if (known === undefined && run.step_count >= MAX_STEPS_PER_RUN) {
    return `a run may have at most ${MAX_STEPS_PER_RUN} steps`;
  }
  const counted = { ...run, step_count: run.step_count + (known === undefined ? 1 : 0) };
  const base: Base = {
    id: wanted.step_id,
    run_id: run.id,
    name: withoutNul(name),
    sequence: known?.sequence ?? counted.step_count,
    attempt: run.attempt,
    started_at: tx.nowMs,
  };
  if (wanted.type === "sleep") return sleep(core, tx, counted, base, wanted);
  if (wanted.type === "wait_for_event") return waitForEvent(core, tx, counted, base, wanted);
  if (wanted.type === "invoke_function") return invoke(core, tx, counted, base, wanted);
  return invokeAsync(core, tx, counted, base, wanted);
}

type Base = Omit<StepRecord, "type" | "status">;
type Of<T extends Yield["type"]> = Extract<Yield, { type: T }>;

function store(core: Core, tx: Tx, run: RunRow, step: StepRecord): void {
  core.store.steps.put(step, tx.nowMs);
  announceStep(core, tx, run, step, "created");
}

/** The change that keeps a counted run's number of steps. */
const counts = (run: RunRow) => ({ step_count: run.step_count });

function sleep(core: Core, tx: Tx, run: RunRow, base: Base, wanted: Of<"sleep">): string | undefined {
  const until = Date.parse(wanted.until);
  if (Number.isNaN(until)) return `yield.until ${JSON.stringify(wanted.until)} is not a time`;
  store(core, tx, run, { ...base, type: "sleep", status: "sleeping", sleep_until: until });
  core.timers.add(tx, { due_at: until, kind: "sleep", run_id: run.id, step_id: base.id });
  holdRun(core, tx, run, counts(run));
  return undefined;
}

function waitForEvent(
  core: Core,
  tx: Tx,
  run: RunRow,
  base: Base,
  wanted: Of<"wait_for_event">,
): string | undefined {
  const filter = wanted.event_filter;
  const timeoutMs = parseDurationMs(filter.timeout);
  if (timeoutMs === undefined)
    return `yield.event_filter.timeout ${JSON.stringify(filter.timeout)} is not a duration`;
  if (/[\s\p{Cc}]/u.test(filter.event) || filter.event.length > 256)
    return "yield.event_filter.event is not an event name";
  const match = parseMatch(filter.match);
  if (match.grammar === "cel") {
    try {
      compileExpression(match.expression, "yield.event_filter.match");
    } catch (error) {
      return messageOf(error);
    }
  }
  const dueAt = tx.nowMs + timeoutMs;
  store(core, tx, run, {
    ...base,
    type: "wait_for_event",
    status: "waiting",
    wait_event_name: filter.event,
    wait_match: filter.match ?? null,
    wait_timeout_at: dueAt,
  });
  core.store.listeners.add({
    environment_id: run.environment_id,
    event_name: filter.event,
    kind: "wait",
    grammar: match.grammar,
    expression: match.grammar === "path" ? match.path : match.grammar === "cel" ? match.expression : "",
    match_key: match.grammar === "path" ? wantedKey(core, run, match.path, filter.match_value) : null,
    run_id: run.id,
    step_id: base.id,
  });
  core.timers.add(tx, { due_at: dueAt, kind: "wait_timeout", run_id: run.id, step_id: base.id });
  holdRun(core, tx, run, counts(run));
  return undefined;
}

/** What an awaited event must have at the path: the value the function named, else that of the run's own event. */
function wantedKey(core: Core, run: RunRow, path: string, value: unknown): string | null {
  if (value !== undefined) return matchKey(value);
  const event = core.store.events.get(run.environment_id, run.event_id);
  if (event === undefined) return null;
  return matchKey(valueAtPath(eventScope({ ...event, data: run.input }, parseExactJson), path));
}

function invoke(
  core: Core,
  tx: Tx,
  run: RunRow,
  base: Base,
  wanted: Of<"invoke_function">,
): string | undefined {
  const input = toJsonText(wanted.input ?? null);
  const step = { ...base, type: "invoke_function", input: input.text } as const;
  const fn = core.registry.get(run.environment_id, wanted.function_id);
  try {
    if (fn === undefined) throw new ApiError("not_found", `function ${wanted.function_id} not found`);
    const child = invokeFunction(core, tx, {
      environmentId: run.environment_id,
      functionId: wanted.function_id,
      data: input,
      parent: { run, stepId: base.id },
    });
    store(core, tx, run, { ...step, status: "waiting", child_run_id: child.runId });
    const timeoutMs = Math.min(Math.max(1, wanted.invoke_timeout_ms), maxInvokeTimeoutMs);
    core.timers.add(tx, {
      due_at: tx.nowMs + timeoutMs,
      kind: "invoke_timeout",
      run_id: run.id,
      step_id: base.id,
    });
    holdRun(core, tx, run, counts(run));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const failure = childError({ id: null, function_id: wanted.function_id }, error.message);
    const text = errorText(core, tx, run, failure);
    store(core, tx, run, { ...step, status: "failed", error: text, ended_at: tx.nowMs });
    makeReady(core, tx, run, counts(run));
  }
  return undefined;
}

function invokeAsync(
  core: Core,
  tx: Tx,
  run: RunRow,
  base: Base,
  wanted: Of<"invoke_function_async">,
): string | undefined {
  const input = toJsonText(wanted.input ?? null);
  try {
    const child = invokeFunction(core, tx, {
      environmentId: run.environment_id,
      functionId: wanted.function_id,
      data: input,
      parent: { run, stepId: null },
    });
    store(core, tx, run, {
      ...base,
      type: "invoke_function",
      status: "completed",
      input: input.text,
      output: toJsonText({ run_id: child.runId }).text,
      child_run_id: child.runId,
      ended_at: tx.nowMs,
      duration_ms: 0,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
  makeReady(core, tx, run, counts(run));
  return undefined;
}
