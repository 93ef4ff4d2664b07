import * as z from "zod/v4";
import { ListDeadLettersResponse, RestBreaker } from "../../contract/operations.ts";
import { ApiError } from "../../errors.ts";
import { requireOwnEnvironment } from "../environments.ts";
import { plainText, queryInt } from "../fields.ts";
import type { Core } from "../../core.ts";
import { BREAKER_FAILURES_KEPT, type BreakerRow } from "../../store/breakers.ts";
import {
  restBreaker,
  restBreakerFailure,
  restDeadLetter,
  restDebounce,
  WAITING_RUNS_CAP,
} from "../shapes.ts";
import { route, type RestRoute } from "./route.ts";

/** Runs that are held back by a breaker: the ready ones of its function, when that still calls this endpoint. */
function waitingBehind(core: Core, row: BreakerRow): number {
  if (row.state === "closed") return 0;
  const fn = core.registry.get(row.environment_id, row.function_id);
  return fn?.config.endpointUrl === row.endpoint
    ? core.store.runs.countReady(row.environment_id, row.function_id, WAITING_RUNS_CAP)
    : 0;
}

/** Breakers, dead letters and debounces. */
export const operationRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/circuit-breakers",
    summary: "List circuit breakers",
    answer: z.array(RestBreaker),
    run: ({ core, environment }) =>
      core.breakers.list(environment.id).map((row) => restBreaker(row, waitingBehind(core, row))),
  }),
  route({
    method: "GET",
    path: "/api/v1/circuit-breakers/{key}/failures",
    summary: "List the failures of a circuit breaker",
    query: z.strictObject({ limit: queryInt(1, BREAKER_FAILURES_KEPT).optional() }),
    run: ({ core, environment }, { params, query }) => {
      const limit = query.limit ?? BREAKER_FAILURES_KEPT;
      const failures = core.breakers.failures(environment.id, params.key ?? "", limit);
      return { failures: failures.map(restBreakerFailure), count: failures.length };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/circuit-breakers/{key}/reset",
    summary: "Close a circuit breaker",
    answer: RestBreaker,
    run: async ({ core, environment }, { params }) => {
      const row = await core.writer.write((tx) => core.breakers.reset(tx, environment.id, params.key ?? ""));
      return restBreaker(row, waitingBehind(core, row));
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/dead-letters",
    summary: "List dead letters, newest first",
    answer: ListDeadLettersResponse,
    query: z.strictObject({
      env: plainText(256).optional(),
      source: plainText(256).optional(),
      limit: queryInt(1, 500).optional(),
      offset: queryInt(0, 10_000).optional(),
    }),
    run: (call, { query }) => {
      requireOwnEnvironment(call, query.env);
      const { core, environment } = call;
      const page = { limit: query.limit ?? 50, offset: query.offset ?? 0 };
      const { items, total } = core.store.deadLetters.list(
        { environmentId: environment.id, source: query.source || undefined },
        page,
      );
      return { items: items.map(restDeadLetter), total, ...page };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/debounce/entries",
    summary: "List events that wait for their debounce",
    run: ({ core, environment }) => {
      const entries = core.store.debounces.list(environment.id).map(restDebounce);
      return { entries, count: entries.length };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/debounce/entries/{environment}/{function}/{key}",
    summary: "Forget an event that waits for its debounce",
    run: async ({ core, environment }, { params }) => {
      if (params.environment !== environment.id && params.environment !== environment.name) {
        throw new ApiError("permission_denied", "environment: the key speaks for another environment");
      }
      const deleted = await core.writer.write(() =>
        core.store.debounces.delete(environment.id, params.function ?? "", params.key ?? ""),
      );
      if (!deleted) throw new ApiError("not_found", "debounce entry not found");
      return { deleted: true };
    },
  }),
];
