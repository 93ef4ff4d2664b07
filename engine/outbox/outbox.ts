import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import { announceOutbox } from "../execute/notices.ts";
import { isPlaceholder } from "../execute/placeholder.ts";
import type { NewEvent } from "../store/events.ts";
import type { Tx } from "../store/writer.ts";

/**
 * Stores what is to be told about an appended event, in the change that appends it: once to those who follow its entity,
 * once to functions and those who follow its name. The relay delivers both once the change is on disk.
 */
export function addToOutbox(core: Core, tx: Tx, event: NewEvent, entityId: string): void {
  const base = { environment_id: event.environment_id, event_id: event.id, entity_id: entityId };
  const add = (kind: "entity" | "event", topic: string) =>
    core.store.outbox.add({ ...base, id: core.ids.next("obx"), kind, topic }, tx.nowMs);
  add("entity", `entity:${entityId}`);
  add("event", `events:${event.name}`);
  tx.afterCommit(() => core.outboxRelay.wake());
}

/**
 * Delivers every dead delivery of an event again, from its first try on. How many they are.
 * @throws ApiError not_found, failed_precondition when the event was redacted: there is nothing left to deliver
 */
export function requeueOutbox(core: Core, tx: Tx, environmentId: string, eventId: string): number {
  const event = core.store.events.get(environmentId, eventId);
  if (event !== undefined && isPlaceholder(event.data)) {
    throw new ApiError("failed_precondition", `event ${eventId} was redacted; discard its deliveries`);
  }
  const rows = core.store.outbox.revive(environmentId, eventId, tx.nowMs);
  if (rows === 0) throw new ApiError("not_found", `event ${eventId} not found among the dead deliveries`);
  tell(core, tx, { environmentId, eventId, rows }, "requeued");
  tx.afterCommit(() => core.outboxRelay.wake());
  return rows;
}

/** Forgets every dead delivery of an event; the event itself stays. @throws ApiError not_found */
export function discardOutbox(core: Core, tx: Tx, environmentId: string, eventId: string): number {
  const rows = core.store.outbox.discard(environmentId, eventId);
  if (rows === 0) throw new ApiError("not_found", `event ${eventId} not found among the dead deliveries`);
  tell(core, tx, { environmentId, eventId, rows }, "discarded");
  return rows;
}

function tell(
  core: Core,
  tx: Tx,
  what: { environmentId: string; eventId: string; rows: number },
  action: "requeued" | "discarded",
): void {
  const { environmentId, eventId, rows } = what;
  auditOther(core, tx, {
    environmentId,
    eventType: `outbox.${action}`,
    payload: { event_id: eventId, rows },
  });
  announceOutbox(core, tx, { environmentId, eventId }, action);
}
