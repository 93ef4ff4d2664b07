import type { Core } from "../core.ts";
import { announceDeadLetter } from "../execute/notices.ts";
import type { GroupRow } from "../store/consumer-groups.ts";
import type { DeadLetterRow } from "../store/dead-letters.ts";
import type { DeliveryRow } from "../store/group-deliveries.ts";
import type { Tx } from "../store/writer.ts";
import { EVENTS_KIND, readMessage, type Told } from "./messages.ts";

/** A delivery that came as often as it may and was not acknowledged becomes a dead letter. */
export function giveUp(core: Core, tx: Tx, group: GroupRow, row: DeliveryRow): void {
  const told = readMessage(core.store, group.environment_id, row);
  if (told === undefined) return;
  const error = `consumer group ${group.name}: not acknowledged after ${row.attempts} deliveries`;
  store(core, tx, told, "system_event_publish", error);
}

/** A message on which a group's filter fails is passed over, and kept. */
export function passOver(core: Core, tx: Tx, group: GroupRow, told: Told, reason: string): void {
  store(core, tx, told, "routing", `consumer group ${group.name}: ${reason}`);
}

function store(core: Core, tx: Tx, told: Told, source: DeadLetterRow["source"], error: string): void {
  const row: Omit<DeadLetterRow, "seq"> = {
    id: core.ids.next("dlq"),
    environment_id: told.environmentId,
    source,
    subject: told.topic,
    event_id: told.id,
    event_name: told.topic.startsWith(EVENTS_KIND) ? told.event.name : null,
    function_id: null,
    run_id: null,
    error,
    payload: Buffer.from(told.event.data, "utf8"),
    created_at: tx.nowMs,
  };
  core.store.deadLetters.add(row);
  announceDeadLetter(core, tx, row);
}
