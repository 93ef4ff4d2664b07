import { ListOutboxResponse, OutboxResult, type RestOutboxItem } from "../../../engine/contract/outbox.ts";
import type { OutboxDeadLetter } from "../../contract/tools/outbox.ts";
import type { Call } from "../../upstream/http.ts";
import type { Engine } from "../engine.ts";
import { drop, text, time } from "./normalise.ts";
import { query, restCall, type RestRequest, type Wire } from "./wire.ts";

/** The outbox's dead letters: REST in both eras (contract, section 2.11). */
type OutboxCalls = Pick<Engine, "listOutboxDeadLetters" | "requeueOutbox" | "discardOutbox">;

const PATH = "/api/v1/outbox/dead-letter";

export function outboxCalls(wire: Wire): OutboxCalls {
  const act = async (request: RestRequest, call: Call) => {
    const answer = await restCall(wire, request, OutboxResult, call);
    return drop({ event_id: answer.event_id, result: text(answer.result), rows: answer.rows });
  };
  const rowPath = (eventId: string) => `${PATH}/${encodeURIComponent(eventId)}`;

  return {
    listOutboxDeadLetters: async ({ env, limit, offset }, call) => {
      const request = { method: "GET", path: PATH + query({ env, limit, offset }), effect: "read" } as const;
      const page = await restCall(wire, request, ListOutboxResponse, call);
      const items = (page.items ?? []).map(toRow);
      return drop({
        items,
        count: items.length,
        limit: page.limit ?? limit,
        offset: page.offset ?? offset,
        total_count: page.total_count,
      });
    },

    requeueOutbox: ({ event_id, env }, call) =>
      act(
        {
          method: "POST",
          path: `${rowPath(event_id)}/requeue${query({ env })}`,
          // A row that is back in the queue is no dead letter any more, so a second call finds nothing.
          effect: "repeatable",
          namesRecord: true,
        },
        call,
      ),

    discardOutbox: ({ eventId, env }, call) =>
      act(
        {
          method: "DELETE",
          path: rowPath(eventId) + query({ env }),
          effect: "repeatable",
          namesRecord: true,
        },
        call,
      ),
  };
}

function toRow(wire: RestOutboxItem): OutboxDeadLetter {
  return drop({
    id: wire.id,
    event_id: wire.event_id,
    environment_id: text(wire.environment_id),
    topic: text(wire.topic),
    kind: text(wire.kind),
    attempts: wire.attempts,
    last_error: text(wire.last_error ?? undefined),
    entity_id: text(wire.entity_id ?? undefined),
    metadata: wire.metadata ?? undefined,
    data: wire.payload ?? undefined,
    created_at: time(wire.created_at),
    dead_at: time(wire.dead_at),
  });
}
