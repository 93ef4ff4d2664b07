import * as z from "zod/v4";
import { auditRoutes } from "./audit-routes.ts";
import { configRoutes } from "./config-routes.ts";
import { describeRoutes } from "./describe.ts";
import { environmentRoutes } from "./environment-routes.ts";
import { projectRoutes } from "./project-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { flowRoutes } from "./flow-routes.ts";
import { functionRoutes } from "./function-routes.ts";
import { kvRoutes } from "./kv-routes.ts";
import { operationRoutes } from "./operation-routes.ts";
import { outboxRoutes } from "./outbox-routes.ts";
import { route, type RestRoute } from "./route.ts";
import { projectionRoutes } from "./projection-routes.ts";
import { runRoutes } from "./run-routes.ts";
import { secretRoutes } from "./secret-routes.ts";
import { serverRoutes } from "./server-routes.ts";
import { sqlRoutes } from "./sql-routes.ts";
import { streamRoutes } from "./stream-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";
import { workerRoutes } from "./worker-routes.ts";

const openApi = route({
  method: "GET",
  path: "/api/v1/openapi.json",
  summary: "This document",
  answer: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
  run: ({ server }) => describeRoutes(restRoutes, server),
});

/** Every REST route. Of several that match a path the first one counts. */
export const restRoutes: readonly RestRoute[] = [
  ...serverRoutes,
  ...projectRoutes,
  ...environmentRoutes,
  ...eventRoutes,
  ...functionRoutes,
  ...runRoutes,
  ...operationRoutes,
  ...auditRoutes,
  ...kvRoutes,
  ...sqlRoutes,
  ...secretRoutes,
  ...configRoutes,
  ...outboxRoutes,
  ...workerRoutes,
  ...streamRoutes,
  ...projectionRoutes,
  ...flowRoutes,
  ...webhookRoutes,
  openApi,
];

export interface RouteMatch {
  route: RestRoute;
  params: Record<string, string>;
}

/** Finds the route of a path that is still percent-encoded; `wrong-method` when only another method has it. */
export function findRoute(method: string, path: string): RouteMatch | "wrong-method" | undefined {
  const segments = path.split("/");
  let other = false;
  for (const route of restRoutes) {
    const params = matchPath(route.path.split("/"), segments);
    if (params === undefined) continue;
    if (route.method === method) return { route, params };
    other = true;
  }
  return other ? "wrong-method" : undefined;
}

/** `{name}` stands for one segment, `{name...}` at the end for one or more. */
function matchPath(wanted: string[], given: string[]): Record<string, string> | undefined {
  const open = wanted.at(-1)?.endsWith("...}") === true;
  if (open ? given.length < wanted.length : wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? "";
    if (segment.endsWith("...}")) {
      params[segment.slice(1, -4)] = given.slice(index).map(decodeURIComponent).join("/");
    } else if (segment.startsWith("{")) {
      if (value === "") return undefined;
      // The guard has refused what cannot be decoded.
      params[segment.slice(1, -1)] = decodeURIComponent(value);
    } else if (segment !== value) return undefined;
  }
  return params;
}
