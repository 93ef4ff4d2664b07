import type { Core } from "../core.ts";
import { messageOf } from "../errors.ts";
import { isStorageTrouble } from "../store/database.ts";
import type { NewEvent } from "../store/events.ts";
import type { RoutingSlice } from "../store/routing-slices.ts";
import type { Tx } from "../store/writer.ts";
import { storeDeadLetter } from "./dead-letters.ts";
import { scopeOf } from "./emit.ts";
import { MAX_RUNS_PER_CHANGE } from "./fan-out.ts";
import { reach, type RoutingPlan } from "./routing.ts";

/** After a slice could not be stored, ms. */
const storeRetryMs = 1_000;

/**
 * Brings events that reach many runs to them, slice by slice: what is still to be reached is stored with the event, each
 * slice is a change of its own, and between two of them everything else goes on. Slices are done in their order, also
 * after a crash.
 */
export interface Routings {
  /** Stores what an event has to reach, in the change that stores the event. */
  add(tx: Tx, event: NewEvent, plan: RoutingPlan, outboxSeq: number | null): void;
  /**
   * Of an event that has not reached everything: resolves with its runs, oldest first, once it has; rejects when the engine
   * stops before. `undefined` for every other event.
   */
  ofEvent(eventId: string): Promise<string[]> | undefined;
  /** Goes on with what the last process left. */
  start(): void;
  /** Resolves once no slice is under way; the next start does the others. */
  stop(): Promise<void>;
}

interface Pending {
  whole: Promise<string[]>;
  resolve(runIds: string[]): void;
  reject(error: Error): void;
}

export function createRoutings(core: () => Core): Routings {
  const pending = new Map<string, Pending>();
  let working: Promise<void> | undefined;
  let cancelRetry: (() => void) | undefined;
  let stopped = true;

  function expect(eventId: string): void {
    let resolve: Pending["resolve"] = () => {};
    let reject: Pending["reject"] = () => {};
    const whole = new Promise<string[]>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    // Nobody may be waiting for it.
    whole.catch(() => {});
    pending.set(eventId, { whole, resolve, reject });
  }

  function wake(): void {
    if (stopped || working !== undefined) return;
    cancelRetry?.();
    cancelRetry = undefined;
    working = work()
      .catch((error: unknown) => {
        core().log.error({ err: error }, "events could not be routed further, trying again");
        if (!stopped) cancelRetry = core().clock.after(storeRetryMs, wake);
      })
      .finally(() => {
        working = undefined;
        // One may have come in after the last look.
        if (pending.size > 0 && cancelRetry === undefined) wake();
      });
  }

  async function work(): Promise<void> {
    const { store, writer } = core();
    for (;;) {
      const slice = stopped ? undefined : store.routingSlices.next();
      if (slice === undefined) break;
      try {
        await writer.write((tx) => doSlice(tx, slice));
      } catch (error) {
        if (isStorageTrouble(error)) throw error;
        await writer.write((tx) => setApart(tx, slice, error));
      }
    }
    // What is purged with its stream has no last slice.
    if (!stopped) for (const eventId of pending.keys()) end(eventId);
  }

  function doSlice(tx: Tx, slice: RoutingSlice): void {
    const { store, registry, outboxRelay } = core();
    store.routingSlices.delete(slice.seq);
    const event = store.events.get(slice.environment_id, slice.event_id);
    if (event !== undefined) {
      reach(core(), tx, event, {
        listeners: slice.listeners.flatMap((target) => {
          const listener = store.listeners.get(target.id);
          const same = listener?.run_id === target.run_id && listener.step_id === target.step_id;
          return same ? [listener] : [];
        }),
        // One that was deleted meanwhile starts nothing.
        functions: slice.functions.flatMap((id) => registry.get(slice.environment_id, id) ?? []),
      });
    }
    if (store.routingSlices.has(slice.event_id)) return;
    if (slice.outbox_seq !== null) {
      store.outbox.delete(slice.outbox_seq);
      tx.afterCommit(() => outboxRelay.wake());
    } else if (event !== undefined) {
      const scope = scopeOf(event.environment_id, "emit", event.name, event.idempotency_key ?? undefined);
      if (scope !== undefined) store.idempotency.setRuns(scope, event.id, store.runs.idsByEvent(event.id));
    }
    tx.afterCommit(() => end(slice.event_id));
  }

  /** What fails does so alone: each target gets a slice of its own, and one that fails there is kept as a dead letter. */
  function setApart(tx: Tx, slice: RoutingSlice, error: unknown): void {
    const { store, log } = core();
    const place = {
      environment_id: slice.environment_id,
      event_id: slice.event_id,
      outbox_seq: slice.outbox_seq,
    };
    const parts = [
      ...slice.listeners.map((listener) => ({ ...place, listeners: [listener], functions: [] })),
      ...slice.functions.map((id) => ({ ...place, listeners: [], functions: [id] })),
    ];
    if (parts.length > 1) {
      store.routingSlices.delete(slice.seq);
      for (const part of parts) store.routingSlices.add(part);
      return;
    }
    log.error({ err: error, event: slice.event_id }, "an event could not be routed");
    const event = store.events.get(slice.environment_id, slice.event_id);
    const runId = slice.listeners[0]?.run_id ?? null;
    if (event !== undefined) {
      storeDeadLetter(core(), tx, event, {
        source: runId === null ? "routing" : "resume",
        error: messageOf(error),
        functionId:
          slice.functions[0] ?? (runId === null ? undefined : store.runs.get(runId)?.function_id) ?? null,
        runId,
      });
    }
    doSlice(tx, { ...slice, listeners: [], functions: [] });
  }

  function end(eventId: string): void {
    const waiting = pending.get(eventId);
    pending.delete(eventId);
    waiting?.resolve(core().store.runs.idsByEvent(eventId));
  }

  return {
    add: (tx, event, plan, outboxSeq) => {
      const base = { environment_id: event.environment_id, event_id: event.id, outbox_seq: outboxSeq };
      const { routingSlices } = core().store;
      const listeners = plan.listeners.map(({ id, run_id, step_id }) => ({ id, run_id, step_id }));
      for (let at = 0; at < listeners.length; at += MAX_RUNS_PER_CHANGE) {
        const part = listeners.slice(at, at + MAX_RUNS_PER_CHANGE);
        routingSlices.add({ ...base, listeners: part, functions: [] });
      }
      for (let at = 0; at < plan.functions.length; at += MAX_RUNS_PER_CHANGE) {
        const part = plan.functions.slice(at, at + MAX_RUNS_PER_CHANGE).map(({ row }) => row.id);
        routingSlices.add({ ...base, listeners: [], functions: part });
      }
      expect(event.id);
      tx.onRollback(() => pending.delete(event.id));
      tx.afterCommit(wake);
    },
    ofEvent: (eventId) => pending.get(eventId)?.whole,
    start: () => {
      stopped = false;
      for (const eventId of core().store.routingSlices.events()) if (!pending.has(eventId)) expect(eventId);
      wake();
    },
    stop: async () => {
      stopped = true;
      cancelRetry?.();
      await working;
      for (const waiting of pending.values()) waiting.reject(new Error("the engine is stopping"));
      pending.clear();
    },
  };
}
