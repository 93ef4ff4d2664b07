import * as z from "zod/v4";
import { EmitResponse, ListEventsResponse, RestEvent } from "../../../engine/contract/events.ts";
import { EVENTS_LIMIT_MAX } from "../../contract/tools/events.ts";
import type { Engine } from "../engine.ts";
import { readAnswer } from "../../upstream/answer.ts";
import { toText } from "../../upstream/wire-json.ts";
import { drop, restRow } from "./normalise.ts";
import { structOrValue } from "./payload.ts";
import { toEvent } from "./records.ts";
import { answerTo, query, restCall, type Wire } from "./wire.ts";

type EventCalls = Pick<Engine, "listEvents" | "getEvent" | "emitEvent" | "explainEvent">;

/** The route is the embedded engine's (engine/DECISIONS.md); that of the real engine is not public. */
const ExplainAnswer = z.looseObject({
  event: z.string().optional(),
  event_id: z.string().nullish(),
  stored: z.boolean().optional(),
  deduplicated_by: z.string().nullish(),
  functions: z
    .array(
      z.looseObject({
        function_id: z.string(),
        function_version: z.number().int().optional(),
        decision: z.string(),
        matched: z.boolean().optional(),
        reason: z.string().optional(),
        trigger: z
          .looseObject({ event: z.string().nullish(), expression: z.string().nullish() })
          .nullish()
          .transform((trigger) =>
            trigger === null || trigger === undefined
              ? undefined
              : drop({ event: trigger.event ?? undefined, expression: trigger.expression ?? undefined }),
          ),
        run_id: z.string().optional(),
      }),
    )
    .default([]),
  waiting: z
    .array(
      z.looseObject({
        run_id: z.string(),
        function_id: z.string(),
        kind: z.string(),
        step: z.string().optional(),
        match: z.string().optional(),
        decision: z.string(),
        matched: z.boolean(),
        reason: z.string().optional(),
      }),
    )
    .optional(),
  waiting_total: z.number().int().optional(),
});

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

    explainEvent: async (probe, call) => {
      const body =
        "eventId" in probe
          ? { event_id: probe.eventId }
          : {
              event: probe.event,
              data: probe.data,
              version: probe.version,
              idempotency_key: probe.idempotencyKey,
            };
      const request = {
        method: "POST",
        path: "/api/v1/events/explain",
        body: toText(body),
        effect: "read",
        namesRecord: true,
      } as const;
      const answer = await restCall(wire, request, ExplainAnswer, call);
      return drop({
        event: answer.event,
        event_id: answer.event_id ?? undefined,
        stored: answer.stored,
        deduplicated_by: answer.deduplicated_by ?? undefined,
        functions: answer.functions.map(drop),
        count: answer.functions.length,
        waiting: answer.waiting?.map(drop),
        waiting_total: answer.waiting_total,
      });
    },

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
