import * as z from "zod/v4";
import type { OutboxDeadLetter } from "../../contract/tools/outbox.ts";
import type { Call } from "../../upstream/http.ts";
import type { Engine } from "../engine.ts";
import { drop, text, time } from "./normalise.ts";
import { query, restCall, type RestRequest, type Wire } from "./wire.ts";

type OutboxCalls = Pick<Engine, "listOutboxDeadLetters" | "requeueOutbox" | "discardOutbox">;

/** The outbox's dead letters on the wire: REST in both eras (contract, section 2.11). */
const WireRow = z.looseObject({
  id: z.union([z.string(), z.number().int()]).transform(String),
  event_id: z.string(),
  environment_id: z.string().nullish(),
  topic: z.string().nullish(),
  kind: z.string().nullish(),
  attempts: z.number().int().nullish(),
  last_error: z.string().nullish(),
  entity_id: z.string().nullish(),
  metadata: z.unknown().optional(),
  payload: z.unknown().optional(),
  created_at: z.string().nullish(),
  dead_at: z.string().nullish(),
});
const WirePage = z.looseObject({
  items: z.array(WireRow).nullish(),
  limit: z.number().int().optional(),
  offset: z.number().int().optional(),
  total_count: z.number().int().optional(),
});
const WireResult = z.looseObject({
  event_id: z.string().optional(),
  result: z.string().optional(),
  rows: z.number().int().optional(),
});

const PATH = "/api/v1/outbox/dead-letter";

export function outboxCalls(wire: Wire): OutboxCalls {
  const act = async (eventId: string, request: RestRequest, call: Call) => {
    const answer = await restCall(wire, request, WireResult, call);
    return drop({ event_id: answer.event_id ?? eventId, result: text(answer.result), rows: answer.rows });
  };
  const rowPath = (eventId: string) => `${PATH}/${encodeURIComponent(eventId)}`;

  return {
    listOutboxDeadLetters: async ({ env, limit, offset }, call) => {
      const request = { method: "GET", path: PATH + query({ env, limit, offset }), effect: "read" } as const;
      const page = await restCall(wire, request, WirePage, call);
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
        event_id,
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
        eventId,
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

function toRow(wire: z.output<typeof WireRow>): OutboxDeadLetter {
  return drop({
    id: wire.id,
    event_id: wire.event_id,
    environment_id: text(wire.environment_id ?? undefined),
    topic: text(wire.topic ?? undefined),
    kind: text(wire.kind ?? undefined),
    attempts: wire.attempts ?? undefined,
    last_error: text(wire.last_error ?? undefined),
    entity_id: text(wire.entity_id ?? undefined),
    metadata: wire.metadata ?? undefined,
    data: wire.payload ?? undefined,
    created_at: time(wire.created_at),
    dead_at: time(wire.dead_at),
  });
}
