import type { Core } from "../core.ts";
import { encodeJson, JsonText } from "../json/json-text.ts";
import { maskOf } from "../secrets/masker.ts";
import type { DeadLetterRow } from "../store/dead-letters.ts";
import type { NewEvent } from "../store/events.ts";
import type { Tx } from "../store/writer.ts";
import type { Notice } from "./hub.ts";
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
  const owner =
    cause.functionId === null
      ? undefined
      : { environment_id: event.environment_id, function_id: cause.functionId };
  const row: Omit<DeadLetterRow, "seq"> = {
    id: core.ids.next("dlq"),
    environment_id: event.environment_id,
    source: cause.source,
    subject: cause.subject ?? `events:${event.name}`,
    event_id: event.id,
    event_name: event.name,
    function_id: cause.functionId,
    run_id: cause.runId,
    error: owner === undefined ? cause.error : maskOf(core, tx, owner)(cause.error),
    payload: Buffer.from(event.data, "utf8"),
    created_at: tx.nowMs,
  };
  core.store.deadLetters.add(row);
  announceDeadLetter(core, tx, row);
}

/**
 * Keeps a notice that a subscriber could not be given. As good as it can: what is published while the engine stops, or
 * while its disk is full, is only logged.
 */
export function storeUndelivered(core: Core, notice: Notice, reason: string): void {
  core.log.warn({ topic: notice.topic, reason }, "a subscriber was not given a notice");
  // The notice of this very dead letter would go round for ever.
  if (notice.topic.startsWith("system.dead_letter.")) return;
  const text = notice.data instanceof JsonText ? notice.data.text : encodeJson(notice.data);
  const { run_id: runId, function_id: functionId } = notice.data instanceof JsonText ? {} : notice.data;
  core.writer
    .write((tx) => {
      const row: Omit<DeadLetterRow, "seq"> = {
        id: core.ids.next("dlq"),
        environment_id: notice.environmentId,
        source: "system_event_publish",
        subject: notice.topic,
        event_id: notice.eventId ?? null,
        event_name: null,
        function_id: typeof functionId === "string" ? functionId : null,
        run_id: typeof runId === "string" ? runId : null,
        error: reason,
        payload: Buffer.from(text, "utf8"),
        created_at: tx.nowMs,
      };
      core.store.deadLetters.add(row);
      announceDeadLetter(core, tx, row);
    })
    .catch((error: unknown) => core.log.error({ err: error }, "an undelivered notice could not be stored"));
}
