import { dataOf } from "./data.ts";
import type { ToolHandlers } from "./handler.ts";

export const eventHandlers: ToolHandlers<
  "ironflow_list_events" | "ironbridge_get_event" | "ironflow_emit_event"
> = {
  ironflow_list_events: (filter, { engine, signal }) => engine.listEvents(filter, { signal }),
  ironbridge_get_event: ({ event_id }, { engine, signal }) => engine.getEvent(event_id, { signal }),
  ironflow_emit_event: ({ event, metadata, version, idempotency_key, ...data }, { engine, signal }) =>
    engine.emitEvent(
      { event, data: dataOf(data), metadata, version, idempotencyKey: idempotency_key },
      { signal },
    ),
};
