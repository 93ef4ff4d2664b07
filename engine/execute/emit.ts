import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { JsonText } from "../json/json-text.ts";
import type { NewEvent } from "../store/events.ts";
import type { IdempotencyScope, Remembered } from "../store/idempotency.ts";
import type { Tx } from "../store/writer.ts";
import { createRun, type Parent } from "./create-run.ts";
import type { FanOut } from "./fan-out.ts";
import { announceEvent } from "./notices.ts";
import { routeEvent } from "./routing.ts";

export interface Emit {
  environmentId: string;
  name: string;
  data: JsonText;
  metadata?: JsonText | undefined;
  idempotencyKey?: string | undefined;
  version: number;
  /** Who sent it: `api`, `webhook`, ... */
  source: string;
  /** The run in which the event was emitted. */
  runId?: string | undefined;
}

export interface Invoke {
  environmentId: string;
  functionId: string;
  data: JsonText;
  metadata?: JsonText | undefined;
  idempotencyKey?: string | undefined;
  parent?: Parent | undefined;
}

/**
 * Stores an event and what it causes: new runs, runs that waited for it, runs it cancels. All of it is one change, unless
 * it is more than one change may do: then what is left is stored with it, and `storeAndRoute` waits for it.
 * The same key with the same name answers what it answered before and does nothing.
 * @param fanOut bounds what it and other events cause together. @throws ApiError resource_exhausted
 */
export function emitEvent(core: Core, tx: Tx, emit: Emit, fanOut?: FanOut): Remembered {
  const scope = scopeOf(emit.environmentId, "emit", emit.name, emit.idempotencyKey);
  return once(core, tx, scope, () => {
    const event: NewEvent = {
      id: core.ids.next("evt"),
      environment_id: emit.environmentId,
      name: emit.name,
      data: emit.data.text,
      metadata: emit.metadata?.text ?? null,
      source: emit.source,
      version: emit.version,
      idempotency_key: emit.idempotencyKey ?? null,
      run_id: emit.runId ?? null,
      timestamp: tx.nowMs,
    };
    const seq = core.store.events.insert(event);
    announceEvent(core, tx, { ...event, seq });
    const started = routeEvent(core, tx, event, fanOut === undefined ? {} : { fanOut });
    return { eventId: event.id, runIds: started.map((run) => run.id) };
  });
}

/**
 * Makes a change that emits events, and answers once they have reached everything: the runs are known then.
 * Should the engine stop before, it rejects; the events are stored, and the next start brings them further.
 */
export async function storeAndRoute(core: Core, change: (tx: Tx) => Remembered[]): Promise<Remembered[]> {
  const emitted = await core.writer.write((tx) =>
    change(tx).map((answer) => ({ answer, whole: core.routings.ofEvent(answer.eventId) })),
  );
  const answers: Remembered[] = [];
  for (const { answer, whole } of emitted) {
    answers.push(whole === undefined ? answer : { ...answer, runIds: await whole });
  }
  return answers;
}

/** One event of `storeAndRoute`. */
export async function emitAndRoute(core: Core, emit: Emit): Promise<Remembered> {
  const [answer] = await storeAndRoute(core, (tx) => [emitEvent(core, tx, emit)]);
  if (answer === undefined) throw new Error("an emit has no answer");
  return answer;
}

/**
 * Starts one run of one function, whatever its triggers. Its event carries the function's id as name and is not routed.
 * @throws ApiError not_found, failed_precondition
 */
export function invokeFunction(core: Core, tx: Tx, invoke: Invoke): { runId: string; eventId: string } {
  const fn = core.registry.get(invoke.environmentId, invoke.functionId);
  if (fn === undefined) throw new ApiError("not_found", `function ${invoke.functionId} not found`);
  if (fn.row.status !== "active") {
    throw new ApiError("failed_precondition", `function ${invoke.functionId} is ${fn.row.status}`);
  }
  const scope = scopeOf(invoke.environmentId, "invoke", invoke.functionId, invoke.idempotencyKey);
  const answer = once(core, tx, scope, () => {
    const event: NewEvent = {
      id: core.ids.next("evt"),
      environment_id: invoke.environmentId,
      name: invoke.functionId,
      data: invoke.data.text,
      metadata: invoke.metadata?.text ?? null,
      source: "invoke",
      version: 1,
      idempotency_key: invoke.idempotencyKey ?? null,
      run_id: invoke.parent?.run.id ?? null,
      timestamp: tx.nowMs,
    };
    const seq = core.store.events.insert(event);
    announceEvent(core, tx, { ...event, seq });
    return { eventId: event.id, runIds: [createRun(core, tx, fn, event, invoke.parent).id] };
  });
  return { runId: answer.runIds[0] ?? "", eventId: answer.eventId };
}

/** The scope of a key; undefined without one. */
export function scopeOf(
  environmentId: string,
  operation: IdempotencyScope["operation"],
  subject: string,
  key: string | undefined,
): IdempotencyScope | undefined {
  return key === undefined || key === "" ? undefined : { environmentId, operation, subject, key };
}

/** Makes the answer, unless this key has one already. */
export function once(
  core: Core,
  tx: Tx,
  scope: IdempotencyScope | undefined,
  make: () => Remembered,
): Remembered {
  if (scope === undefined) return make();
  const before = core.store.idempotency.get(scope);
  if (before !== undefined) return before;
  const answer = make();
  core.store.idempotency.put(scope, answer, tx.nowMs);
  return answer;
}
