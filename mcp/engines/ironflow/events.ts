import * as z from "zod/v4";
import { EmitResponse, ListEventsResponse, RestEvent } from "../../../engine/contract/events.ts";
import { EVENTS_LIMIT_MAX } from "../../contract/tools/events.ts";
import type { Engine } from "../engine.ts";
import { readAnswer } from "../../upstream/answer.ts";
import { drop, restRow } from "./normalise.ts";
import { structOrValue } from "./payload.ts";
import { toEvent } from "./records.ts";
import { answerTo, query, restCall, type Wire } from "./wire.ts";

type EventCalls = Pick<Engine, "listEvents" | "getEvent" | "emitEvent">;

const RestEmitted = z.preprocess(restRow, EmitResponse);

export function eventCalls(wire: Wire): EventCalls {
  return {
    listEvents: async (filter, call) => {
      const limit = Math.min(filter.limit, EVENTS_LIMIT_MAX);
      const page = await restCall(
        wire,
        { method: "GET", path: `/api/v1/events${query({ ...filter, limit })}`, effect: "read" },
        ListEventsResponse,
        call,
      );
      return drop({
        events: page.events.map(toEvent),
        count: page.events.length,
        limit: page.limit ?? limit,
        has_next: page.has_next,
        has_prev: page.has_prev,
        next_cursor: page.next_cursor || undefined,
        prev_cursor: page.prev_cursor || undefined,
        approx_total: page.approx_total ?? undefined,
        approx_total_capped: page.approx_total_capped ?? undefined,
      });
    },

    getEvent: async (eventId, call) =>
      toEvent(
        await restCall(
          wire,
          {
            method: "GET",
            path: `/api/v1/events/${encodeURIComponent(eventId)}`,
            effect: "read",
            namesRecord: true,
          },
          RestEvent,
          call,
        ),
      ),

    emitEvent: async ({ event, data, metadata, version, idempotencyKey }, call) => {
      const { surface, text } = await wire.surfaces.send(
        {
          connect: "IronflowService/Emit",
          message: { event, ...structOrValue(data), metadata, version, idempotencyKey },
          effect: idempotencyKey === undefined ? "once" : "repeatable",
          rest: {
            method: "POST",
            path: "/api/v1/events",
            body: { name: event, data, metadata, version, idempotency_key: idempotencyKey },
          },
        },
        call,
      );
      const answer = readAnswer(surface === "rest" ? RestEmitted : EmitResponse, text, answerTo("Emit"));
      return { event_id: answer.eventId, run_ids: answer.runIds };
    },
  };
}
