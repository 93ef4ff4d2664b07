import type { Core } from "../core.ts";
import { messageOf } from "../errors.ts";
import { announceEvent, announceOutbox } from "../execute/notices.ts";
import { routeEvent } from "../execute/routing.ts";
import { eventNotice } from "../pubsub/messages.ts";
import type { EventRow } from "../store/events.ts";
import type { OutboxRow } from "../store/outbox.ts";
import type { Tx } from "../store/writer.ts";

/** How often a delivery is tried, and how long it waits after each try that failed, ms. */
export const OUTBOX_RETRY = { attempts: 10, firstMs: 1_000, factor: 2, longestMs: 300_000 } as const;

const errorMaxChars = 500;
/** Deliveries that are made between two looks at the clock. */
const batch = 200;
/** After an error of the store, ms. */
const storeRetryMs = 1_000;

/** Delivers what the outbox holds, again after a failure, until it succeeds or is dead. */
export interface OutboxRelay {
  /** There may be something to deliver. */
  wake(): void;
  start(): void;
  /** Resolves once no delivery is under way. */
  stop(): Promise<void>;
}

export const outboxDelayMs = (attempts: number): number =>
  Math.min(OUTBOX_RETRY.firstMs * OUTBOX_RETRY.factor ** (attempts - 1), OUTBOX_RETRY.longestMs);

export function createOutboxRelay(core: () => Core): OutboxRelay {
  let stopped = true;
  let cancel: (() => void) | undefined;
  /** A pass is about to begin. */
  let soon = false;
  let passing: Promise<void> | undefined;
  let again = false;

  function arm(delayMs: number): void {
    if (stopped) return;
    cancel?.();
    soon = delayMs === 0;
    cancel = core().clock.after(delayMs, look);
  }

  function wake(): void {
    if (passing !== undefined) again = true;
    else if (!soon) arm(0);
  }

  function look(): void {
    soon = false;
    again = false;
    passing = pass().then((nextMs) => {
      passing = undefined;
      if (again) arm(0);
      else if (nextMs !== undefined) arm(nextMs);
    });
  }

  /** Delivers what is due. How long until there is more, ms. Never rejects. */
  async function pass(): Promise<number | undefined> {
    const { store, clock, log } = core();
    try {
      const rows = store.outbox.due(clock.nowMs(), batch);
      // What stands behind a delivery that failed in this pass is not overtaken by it.
      const held = new Set<string>();
      await Promise.all(rows.map((row) => deliver(row, held)));
      const next = store.outbox.nextDue();
      return next === undefined ? undefined : Math.max(0, next - clock.nowMs());
    } catch (error) {
      log.error({ err: error }, "the outbox could not be written, trying again");
      return storeRetryMs;
    }
  }

  /** @throws when not even the failure could be stored */
  async function deliver(row: OutboxRow, held: Set<string>): Promise<void> {
    const { writer, store } = core();
    const line = `${row.environment_id}\n${row.entity_id}\n${row.kind}`;
    try {
      await writer.write((tx) => {
        const current = store.outbox.get(row.seq);
        if (stopped || held.has(line) || current === undefined || current.due_at === null) return;
        held.add(line);
        const event = store.events.get(row.environment_id, row.event_id);
        // Purged since: there is nothing left to tell.
        if (event !== undefined && !isUnderWay(row)) deliverEvent(core(), tx, row, event);
        if (isUnderWay(row)) return;
        store.outbox.delete(row.seq);
        held.delete(line);
      });
    } catch (error) {
      held.add(line);
      await writer.write((tx) => recordFailure(core(), tx, row, messageOf(error)));
    }
    // What reaches many runs is done, and its row removed, with its last slice; what stands behind it waits for that.
    // Rejected when the engine stops: the next start goes on.
    if (isUnderWay(row))
      await core()
        .routings.ofEvent(row.event_id)
        ?.catch(() => {});
  }

  const isUnderWay = ({ kind, event_id: eventId }: OutboxRow) =>
    kind === "event" && core().routings.ofEvent(eventId) !== undefined;

  return {
    wake,
    start: () => {
      stopped = false;
      arm(0);
    },
    stop: async () => {
      stopped = true;
      cancel?.();
      await passing;
    },
  };
}

/** @throws whatever went wrong: then nothing of it happened */
function deliverEvent(core: Core, tx: Tx, row: OutboxRow, event: EventRow): void {
  if (row.kind === "entity") {
    core.hub.publish(eventNotice(event, row.topic));
    return;
  }
  routeEvent(core, tx, event, { outboxSeq: row.seq });
  announceEvent(core, tx, event);
}

function recordFailure(core: Core, tx: Tx, row: OutboxRow, error: string): void {
  const current = core.store.outbox.get(row.seq);
  if (current === undefined || current.due_at === null) return;
  const attempts = current.attempts + 1;
  const dead = attempts >= OUTBOX_RETRY.attempts;
  core.store.outbox.failed(row.seq, {
    attempts,
    last_error: error.slice(0, errorMaxChars),
    due_at: dead ? null : tx.nowMs + outboxDelayMs(attempts),
    dead_at: dead ? tx.nowMs : null,
  });
  if (dead) {
    const place = { environmentId: row.environment_id, eventId: row.event_id };
    announceOutbox(core, tx, place, "dead");
  }
}
