import * as z from "zod/v4";
import { EventId } from "../../contract/ids.ts";
import { ListOutboxResponse, OutboxResult } from "../../contract/outbox.ts";
import { discardOutbox, requeueOutbox } from "../../outbox/outbox.ts";
import { restOutboxItem } from "../data-shapes.ts";
import { requireOwnEnvironment } from "../environments.ts";
import { parsePart, plainText, queryInt } from "../fields.ts";
import { route, type RestRoute } from "./route.ts";

const env = plainText(256).optional();
const eventIdOf = (params: Record<string, string>) => parsePart(EventId, params.event, "event id");

/** Something that is done to every dead row of the event in the path. */
function forDeadRows(spec: {
  method: "POST" | "DELETE";
  path: string;
  summary: string;
  result: "requeued" | "discarded";
  change: typeof requeueOutbox;
}): RestRoute {
  return route({
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    answer: OutboxResult,
    query: z.strictObject({ env }),
    run: async (call, { params, query }) => {
      requireOwnEnvironment(call, query.env);
      const id = eventIdOf(params);
      const rows = await call.core.writer.write((tx) => spec.change(call.core, tx, call.environment.id, id));
      return { event_id: id, result: spec.result, rows };
    },
  });
}

/** Section 2.11: deliveries that were given up. Requeue and discard act on every row of an event. */
export const outboxRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/outbox/dead-letter",
    summary: "Deliveries of events that were given up, newest first",
    answer: ListOutboxResponse,
    query: z.strictObject({
      env,
      limit: queryInt(1, 500).optional(),
      offset: queryInt(0, 10_000).optional(),
    }),
    run: (call, { query }) => {
      requireOwnEnvironment(call, query.env);
      const page = { limit: query.limit ?? 50, offset: query.offset ?? 0 };
      const { items, total } = call.core.store.outbox.dead(call.environment.id, page);
      return { items: items.map(restOutboxItem), ...page, total_count: total };
    },
  }),
  forDeadRows({
    method: "POST",
    path: "/api/v1/outbox/dead-letter/{event}/requeue",
    summary: "Delivers all dead rows of an event again",
    result: "requeued",
    change: requeueOutbox,
  }),
  forDeadRows({
    method: "DELETE",
    path: "/api/v1/outbox/dead-letter/{event}",
    summary: "Forgets all dead rows of an event",
    result: "discarded",
    change: discardOutbox,
  }),
];
