import type { Core } from "../core.ts";
import type { DeadLetterRow } from "../store/dead-letters.ts";
import type { NewEvent } from "../store/events.ts";
import type { Tx } from "../store/writer.ts";
import { announceDeadLetter } from "./notices.ts";

export interface DeadLetterCause {
  source: DeadLetterRow["source"];
  error: string;
  functionId: string | null;
  runId: string | null;
  /** What it was for; the event's topic otherwise. */
  subject?: string;
}

/** Keeps what could not be routed or projected: the event's data as bytes, and why. */
export function storeDeadLetter(core: Core, tx: Tx, event: NewEvent, cause: DeadLetterCause): void {
  const row: Omit<DeadLetterRow, "seq"> = {
    id: core.ids.next("dlq"),
    environment_id: event.environment_id,
    source: cause.source,
    subject: cause.subject ?? `events:${event.name}`,
    event_id: event.id,
    event_name: event.name,
    function_id: cause.functionId,
    run_id: cause.runId,
    error: cause.error,
    payload: Buffer.from(event.data, "utf8"),
    created_at: tx.nowMs,
  };
  core.store.deadLetters.add(row);
  announceDeadLetter(core, tx, row);
}
