import * as z from "zod/v4";
import { RestErrorBody } from "../../contract/errors.ts";
import type { RestRoute } from "./route.ts";

type Json = Record<string, unknown>;

/** A zod schema as JSON Schema (draft 2020-12): what may be sent, or what is on the wire. */
function toSchema(schema: z.ZodType): Json {
  // What JSON Schema cannot say (a transformation's result) is anything.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  return rest;
}

/** `/a/{key...}` matches slashes too, which OpenAPI has no word for: its parameter says so instead. */
const pathOf = (path: string) => path.replace("...}", "}");

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map(([, name, open]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...(open === undefined ? {} : { description: "The rest of the path; it may hold slashes." }),
  }));
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties, required } = toSchema(query) as { properties?: Json; required?: string[] };
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: required?.includes(name) === true,
    schema,
  }));
}

function bodyOf(route: RestRoute): Json {
  if (route.bytes !== undefined) {
    const content = Object.fromEntries(route.bytes.map((type) => [type, { schema: {} }]));
    return { requestBody: { required: true, content } };
  }
  if (route.docs.body === undefined) return {};
  const content = { "application/json": { schema: toSchema(route.docs.body) } };
  return { requestBody: { required: true, content } };
}

function answersOf({ docs }: RestRoute): Json {
  const schema = docs.answer === undefined ? {} : toSchema(docs.answer);
  const text = { "text/plain": { schema: { type: "string" } } };
  return {
    "200": {
      description: "Done.",
      content: docs.text === true ? text : { "application/json": { schema } },
    },
    default: {
      description: "Refused or failed; `error` says why, `code` is a lower-case Connect code.",
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    },
  };
}

function operationOf(route: RestRoute): Json {
  const words = `${route.method} ${route.path}`.match(/\w+/g) ?? [];
  return {
    operationId: words.join("_").toLowerCase(),
    summary: route.docs.summary,
    ...(route.open === true ? { security: [] } : {}),
    parameters: [...pathParameters(route.path), ...queryParameters(route.docs.query)],
    ...bodyOf(route),
    responses: answersOf(route),
  };
}

/** The OpenAPI 3.1 document of these routes, made from what they parse and answer. */
export function describeRoutes(
  routes: readonly RestRoute[],
  server: { version: string; authRequired: boolean },
): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = pathOf(route.path);
    const item = (paths[path] ??= {});
    item[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Ironbridge's embedded engine: REST",
      version: server.version,
      description: "REST only: Connect methods, the WebSocket and push callbacks are not in here.",
    },
    servers: [{ url: "/" }],
    security: server.authRequired ? [{ key: [] }] : [],
    paths,
    components: {
      schemas: { Error: toSchema(RestErrorBody) },
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
    },
  };
}
