import type { Core } from "../core.ts";
import { storeDeadLetter } from "../execute/dead-letters.ts";
import type { DeadLetterRow } from "../store/dead-letters.ts";
import type { EventRow } from "../store/events.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { Tx } from "../store/writer.ts";

/** Keeps an event that a projection could not take, once for each event, however often it is tried. */
export function projectionDeadLetter(
  core: Core,
  tx: Tx,
  projection: ProjectionRow,
  event: EventRow,
  source: DeadLetterRow["source"],
  error: string,
): void {
  const subject = `projection:${projection.name}`;
  if (core.store.deadLetters.has(source, subject, event.id)) return;
  storeDeadLetter(core, tx, event, { source, error, functionId: null, runId: null, subject });
}
