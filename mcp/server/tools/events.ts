import type { EventExplained } from "../../contract/tools/events.ts";
import { dataOf } from "./data.ts";
import type { ToolHandlers } from "./handler.ts";

export const eventHandlers: ToolHandlers<
  "ironflow_list_events" | "ironbridge_get_event" | "ironflow_explain_event_match" | "ironflow_emit_event"
> = {
  ironflow_list_events: (filter, { engine, signal }) => engine.listEvents(filter, { signal }),
  ironbridge_get_event: ({ event_id }, { engine, signal }) => engine.getEvent(event_id, { signal }),
  ironflow_explain_event_match: async (
    { event_id, event, only_matched, ...proposed },
    { engine, signal },
  ) => {
    const explained = await engine.explainEvent(
      event === undefined
        ? { eventId: event_id ?? "" } // one of the two is there, says the row
        : {
            event,
            data: proposedData(proposed.data),
            version: proposed.version,
            idempotencyKey: proposed.idempotency_key,
          },
      { signal },
    );
    return only_matched ? reachedOnly(explained) : explained;
  },
  ironflow_emit_event: async (
    { event, metadata, version, idempotency_key, ...data },
    { engine, evidence, signal },
  ) => {
    const emitted = await engine.emitEvent(
      { event, data: dataOf(data), metadata, version, idempotencyKey: idempotency_key },
      { signal },
    );
    await evidence?.noteTest(`ironflow_emit_event ${event}`, { signal });
    return emitted;
  },
};

/** Without what the event does not reach; a run that it started counts even where its function has changed since. */
function reachedOnly(explained: EventExplained): EventExplained {
  const functions = explained.functions.filter(
    ({ matched, decision, run_id }) => matched === true || decision === "run" || run_id !== undefined,
  );
  const waiting = explained.waiting?.filter(({ matched }) => matched);
  return {
    ...explained,
    functions,
    count: functions.length,
    ...(waiting === undefined ? {} : { waiting }),
  };
}

/** Text is JSON text (seeds: "proposed data JSON string"); anything else is the data itself. */
const proposedData = (data: unknown): unknown =>
  typeof data === "string" ? dataOf({ data_json: data }) : data;
