import { toTimestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { encodeJson, JsonText } from "../json/json-text.ts";
import type { NewEvent } from "../store/events.ts";
import type { ListenerRow } from "../store/listeners.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { endRun } from "./end-run.ts";
import { announceStep } from "./notices.ts";
import { forgetWaits, goOn } from "./ready.ts";

/** Wakes or cancels the run of a listener that an event satisfied. */
export function deliver(core: Core, tx: Tx, event: NewEvent, listener: ListenerRow): void {
  const run = core.store.runs.get(listener.run_id);
  if (run === undefined) return;
  if (listener.kind === "cancel") {
    if (run.status !== "completed" && run.status !== "failed" && run.status !== "cancelled") {
      endRun(core, tx, run, { status: "cancelled", cause: "cancel-on-event" });
    }
    return;
  }
  const step = listener.step_id === null ? undefined : core.store.steps.get(listener.step_id);
  // The same event may just have cancelled it.
  if ((run.status !== "waiting" && run.status !== "paused") || step?.status !== "waiting") return;
  endWait(core, tx, event, run, step);
}

/** The event for which a run waits in this step is there. */
export function endWait(core: Core, tx: Tx, event: NewEvent, run: RunRow, step: StepRow): void {
  core.store.steps.settleWithEvent(step.id, event.id, eventPayload(event), run.attempt, tx.nowMs);
  announceStep(core, tx, run, { ...step, status: "completed" }, "completed");
  forgetWaits(core, run.id);
  goOn(core, tx, run);
}

/** A matched wait's output is the whole event (section 3.3). */
function eventPayload(event: NewEvent): string {
  return encodeJson({
    id: event.id,
    name: event.name,
    data: new JsonText(event.data),
    timestamp: toTimestamp(event.timestamp),
    version: event.version,
    source: event.source,
    ...(event.idempotency_key === null ? {} : { idempotency_key: event.idempotency_key }),
    ...(event.metadata === null ? {} : { metadata: new JsonText(event.metadata) }),
  });
}
