import * as z from "zod/v4";
import { ListEventsResponse, RestEvent } from "../../contract/events.ts";
import { RestEmitted } from "../../contract/rest-runs.ts";
import { toTimestamp } from "../../clock.ts";
import { EventName } from "../../contract/ids.ts";
import { jsonObject } from "../../contract/json-object.ts";
import { ApiError } from "../../errors.ts";
import { emitAndRoute } from "../../execute/emit.ts";
import { explainEvent, type Probe } from "../../execute/explain.ts";
import { toJsonText } from "../../json/json-text.ts";
import { countNames, findEvents, NAMES_SCAN_CAP } from "../../store/event-list.ts";
import { IdempotencyKey, IdText, plainText, queryInt, TimeMs } from "../fields.ts";
import { restEvent } from "../shapes.ts";
import { route, type RestRoute } from "./route.ts";

const EmitBody = z.strictObject({
  name: EventName,
  data: z.unknown().optional(),
  metadata: jsonObject().nullish(),
  idempotency_key: IdempotencyKey.nullish(),
  /** What SDK webhooks send. */
  idempotencyKey: IdempotencyKey.nullish(),
  version: z.number().int().min(1).max(2_147_483_647).optional(),
});

/** Exactly one of a stored event and the name of one that somebody thinks of sending. */
const ExplainBody = z
  .strictObject({
    event_id: IdText.optional(),
    event: EventName.optional(),
    data: z.unknown().optional(),
    version: z.number().int().min(1).max(2_147_483_647).optional(),
    idempotency_key: IdempotencyKey.optional(),
  })
  .refine((body) => (body.event_id === undefined) !== (body.event === undefined), {
    message: "exactly one of event_id and event is required",
  })
  .refine(
    (body) => body.event !== undefined || (body.data === undefined && body.idempotency_key === undefined),
    {
      message: "data and idempotency_key belong to event, not to event_id",
    },
  );

/** The contract's limit on a page of events; a larger wish is cut, not refused. */
const maxEvents = 200;

const ListQuery = z
  .strictObject({
    name: plainText(256).optional(),
    names: plainText(8192).optional(),
    search: plainText(256).optional(),
    source: plainText(256).optional(),
    since: TimeMs.optional(),
    until: TimeMs.optional(),
    limit: queryInt(1, Number.MAX_SAFE_INTEGER)
      .transform((n) => Math.min(n, maxEvents))
      .optional(),
    cursor: z.string().max(1024).optional(),
    before: z.string().max(1024).optional(),
  })
  .refine((query) => query.cursor === undefined || query.before === undefined, {
    message: "cursor and before exclude each other",
  });

export const eventRoutes: RestRoute[] = [
  route({
    method: "POST",
    path: "/api/v1/events",
    summary: "Emit an event",
    answer: RestEmitted,
    body: EmitBody,
    run: async ({ core, environment, runId, idempotencyKey }, { body }) => {
      const answer = await emitAndRoute(core, {
        environmentId: environment.id,
        name: body.name,
        data: toJsonText(body.data === undefined ? {} : body.data),
        metadata:
          body.metadata === undefined || body.metadata === null ? undefined : toJsonText(body.metadata),
        idempotencyKey: body.idempotency_key ?? body.idempotencyKey ?? idempotencyKey,
        version: body.version ?? 1,
        source: "api",
        runId,
      });
      return { event_id: answer.eventId, run_ids: answer.runIds };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/events",
    summary: "List events, newest first",
    answer: ListEventsResponse,
    query: ListQuery,
    run: async ({ core, environment, gone }, { query }) => {
      const limit = query.limit ?? 20;
      const names = query.names?.split(",").filter((name) => name !== "");
      if (names !== undefined && names.length > 200)
        throw new ApiError("invalid_argument", "names: more than 200 names");
      const page = await findEvents(
        core.store.db,
        {
          environmentId: environment.id,
          name: query.name || undefined,
          names: names === undefined || names.length === 0 ? undefined : names,
          search: query.search || undefined,
          source: query.source || undefined,
          sinceMs: query.since,
          untilMs: query.until,
        },
        { limit, cursor: query.cursor || undefined, before: query.before || undefined },
        gone,
      );
      return {
        events: page.events.map(restEvent),
        count: page.events.length,
        limit,
        has_next: page.hasNext,
        has_prev: page.hasPrev,
        next_cursor: page.nextCursor,
        prev_cursor: page.prevCursor,
        approx_total: page.total,
        approx_total_capped: page.totalCapped,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/events/names",
    summary: "Count events by name",
    query: z.strictObject({
      source: plainText(256).optional(),
      since: TimeMs.optional(),
      until: TimeMs.optional(),
    }),
    run: ({ core, environment }, { query }) => {
      const { names, scanned, truncated } = countNames(core.store.db, {
        environmentId: environment.id,
        source: query.source || undefined,
        sinceMs: query.since,
        untilMs: query.until,
      });
      return { names, scanned, scan_cap: NAMES_SCAN_CAP, truncated };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/events/explain",
    summary: "Explain what an event starts, without sending it",
    body: ExplainBody,
    run: ({ core, environment }, { body }) => {
      const stored =
        body.event_id === undefined ? undefined : core.store.events.get(environment.id, body.event_id);
      if (body.event_id !== undefined && stored === undefined) {
        throw new ApiError("not_found", "event not found");
      }
      const probe: Probe =
        stored === undefined
          ? {
              stored: false,
              id: "",
              environment_id: environment.id,
              name: body.event ?? "",
              data: toJsonText(body.data === undefined ? {} : body.data).text,
              metadata: null,
              source: "api",
              timestamp: core.clock.nowMs(),
              idempotency_key: body.idempotency_key ?? null,
            }
          : { ...stored, stored: true };
      const { deduplicated_by, functions, waiting, waiting_total } = explainEvent(core, probe);
      return {
        event_id: stored?.id,
        event: probe.name,
        stored: stored !== undefined,
        deduplicated_by,
        functions: functions.map((verdict) => ({
          ...verdict,
          debounce:
            verdict.debounce === undefined
              ? undefined
              : {
                  key: verdict.debounce.key,
                  period_ms: verdict.debounce.period_ms,
                  due_at:
                    verdict.debounce.due_at_ms === undefined
                      ? undefined
                      : toTimestamp(verdict.debounce.due_at_ms),
                },
        })),
        count: functions.length,
        waiting,
        waiting_total,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/events/{id}",
    summary: "Get an event",
    answer: RestEvent,
    run: ({ core, environment }, { params }) => {
      const event = core.store.events.get(environment.id, params.id ?? "");
      if (event === undefined) throw new ApiError("not_found", "event not found");
      return restEvent(event);
    },
  }),
];
