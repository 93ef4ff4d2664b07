import type { ToolHandlers } from "./handler.ts";

export const outboxHandlers: ToolHandlers<
  "ironflow_outbox_dlq_list" | "ironflow_outbox_dlq_requeue" | "ironflow_outbox_dlq_discard"
> = {
  ironflow_outbox_dlq_list: (page, { engine, signal }) => engine.listOutboxDeadLetters(page, { signal }),
  ironflow_outbox_dlq_requeue: (target, { engine, signal }) => engine.requeueOutbox(target, { signal }),
  ironflow_outbox_dlq_discard: ({ event_id, env }, { engine, signal }) =>
    engine.discardOutbox({ eventId: event_id, env }, { signal }),
};
