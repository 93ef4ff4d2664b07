import * as z from "zod/v4";
import { ApiError } from "../../errors.ts";
import { plainText, queryInt } from "../fields.ts";
import { restBreaker, restDeadLetter } from "../shapes.ts";
import { route, type RestRoute } from "./route.ts";

/** Breakers and dead letters. */
export const operationRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/circuit-breakers",
    run: ({ core, environment }) => core.breakers.list(environment.id).map(restBreaker),
  }),
  route({
    method: "POST",
    path: "/api/v1/circuit-breakers/{key}/reset",
    run: async ({ core, environment }, { params }) =>
      restBreaker(await core.writer.write((tx) => core.breakers.reset(tx, environment.id, params.key ?? ""))),
  }),
  route({
    method: "GET",
    path: "/api/v1/dead-letters",
    query: z.strictObject({
      env: plainText(256).optional(),
      source: plainText(256).optional(),
      limit: queryInt(1, 500).optional(),
      offset: queryInt(0, 10_000).optional(),
    }),
    run: ({ core, environment }, { query }) => {
      if (query.env !== undefined && query.env !== environment.id && query.env !== environment.name) {
        throw new ApiError("permission_denied", "env: the key speaks for another environment");
      }
      const page = { limit: query.limit ?? 50, offset: query.offset ?? 0 };
      const { items, total } = core.store.deadLetters.list(
        { environmentId: environment.id, source: query.source || undefined },
        page,
      );
      return { items: items.map(restDeadLetter), total, ...page };
    },
  }),
];
