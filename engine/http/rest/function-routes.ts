import * as z from "zod/v4";
import { RestFunction, RestFunctionList, RestInvoked } from "../../contract/rest-runs.ts";
import { invokeFunction } from "../../execute/emit.ts";
import { toJsonText } from "../../json/json-text.ts";
import { FunctionStatusText, plainText, queryInt } from "../fields.ts";
import { pageOfFunctions } from "../function-list.ts";
import { readFunction } from "../reads.ts";
import { restFunction } from "../shapes.ts";
import { route, type RestRoute } from "./route.ts";

export const functionRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/functions",
    summary: "List functions",
    answer: RestFunctionList,
    query: z.strictObject({
      limit: queryInt(1, 1000).optional(),
      offset: queryInt(0, 1_000_000).optional(),
      name: plainText(256).optional(),
      mode: z.enum(["push", "pull"]).optional(),
      status: FunctionStatusText.optional(),
    }),
    run: ({ core, environment }, { query }) => {
      const page = pageOfFunctions(
        core.registry.list(environment.id),
        { status: query.status, name: query.name || undefined, mode: query.mode },
        { limit: query.limit ?? 100, offset: query.offset },
      );
      return {
        functions: page.functions.map(restFunction),
        count: page.functions.length,
        total_count: page.total,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/functions/{id}",
    summary: "Get a function",
    answer: RestFunction,
    run: (call, { params }) => restFunction(readFunction(call, params.id ?? "")),
  }),
  route({
    method: "POST",
    path: "/api/v1/functions/{id}/invoke",
    summary: "Start a run of a function",
    answer: RestInvoked,
    body: z.strictObject({ data: z.unknown().optional() }),
    run: async ({ core, environment, idempotencyKey }, { params, body }) => {
      const answer = await core.writer.write((tx) =>
        invokeFunction(core, tx, {
          environmentId: environment.id,
          functionId: params.id ?? "",
          data: toJsonText(body.data === undefined ? {} : body.data),
          idempotencyKey,
        }),
      );
      return { run_id: answer.runId, event_id: answer.eventId };
    },
  }),
];
