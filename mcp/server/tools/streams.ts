import { dataOf } from "./data.ts";
import type { ToolHandlers } from "./handler.ts";

export const streamHandlers: ToolHandlers<
  | "ironflow_list_entity_streams"
  | "ironflow_read_entity_stream"
  | "ironflow_append_entity_event"
  | "ironflow_delete_stream"
> = {
  ironflow_list_entity_streams: (page, { engine, signal }) => engine.listStreams(page, { signal }),
  ironflow_read_entity_stream: (page, { engine, signal }) => engine.readStream(page, { signal }),
  ironflow_append_entity_event: async (input, { engine, evidence, signal }) => {
    const { entity_id, entity_type, event, metadata, version, expected_version, idempotency_key } = input;
    const appended = await engine.appendEvent(
      {
        entityId: entity_id,
        entityType: entity_type,
        event,
        data: dataOf(input),
        metadata,
        version,
        expectedVersion: expected_version,
        idempotencyKey: idempotency_key,
      },
      { signal },
    );
    await evidence?.noteTest(`ironflow_append_entity_event ${event}`, { signal });
    return appended;
  },
  ironflow_delete_stream: ({ entity_id, purge }, { engine, signal }) =>
    engine.deleteStream({ entityId: entity_id, purge }, { signal }),
};
