import * as z from "zod/v4";
import { EventName } from "../../contract/ids.ts";
import { jsonObject } from "../../contract/json-object.ts";
import { ApiError } from "../../errors.ts";
import { emitEvent } from "../../execute/emit.ts";
import { toJsonText } from "../../json/json-text.ts";
import { listEvents } from "../../store/event-list.ts";
import { IdempotencyKey, plainText, queryInt, TimeMs } from "../fields.ts";
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
    body: EmitBody,
    run: ({ core, environment, runId, idempotencyKey }, { body }) =>
      core.writer.write((tx) => {
        const answer = emitEvent(core, tx, {
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
      }),
  }),
  route({
    method: "GET",
    path: "/api/v1/events",
    query: ListQuery,
    run: ({ core, environment }, { query }) => {
      const limit = query.limit ?? 20;
      const names = query.names?.split(",").filter((name) => name !== "");
      if (names !== undefined && names.length > 200)
        throw new ApiError("invalid_argument", "names: more than 200 names");
      const page = listEvents(
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
    path: "/api/v1/events/{id}",
    run: ({ core, environment }, { params }) => {
      const event = core.store.events.get(environment.id, params.id ?? "");
      if (event === undefined) throw new ApiError("not_found", "event not found");
      return restEvent(event);
    },
  }),
];
