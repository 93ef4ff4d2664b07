import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, it } from "vitest";
import { describeRoutes } from "./describe.ts";
import { restRoutes } from "./routes.ts";

interface Operation {
  operationId: string;
  summary?: string;
  security?: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content: Record<string, { schema: object }> }>;
}

const document = describeRoutes(restRoutes, { version: "1.2.3", authRequired: true });
const paths = document["paths"] as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

it("describes every route that is served, and nothing else", () => {
  const served = restRoutes.map(({ method, path }) => `${method} ${path.replace("...}", "}")}`);
  const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(described.toSorted()).toEqual(served.toSorted());
});

it("names every operation once", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it("names every part of a path as a parameter, and no other", () => {
  for (const { path, operation } of operations) {
    const named = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
    expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  }
});

it("has schemas that compile", () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "openapi", ...document });
  const schemas = operations.flatMap(({ operation }) => [
    ...operation.parameters.map(({ schema }) => schema),
    ...[operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
      Object.values(part?.content ?? {}).map(({ schema }) => schema),
    ),
  ]);
  expect(schemas.length).toBeGreaterThan(operations.length * 2);
  for (const schema of schemas) {
    const local = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'),
    ) as object;
    expect(() => ajv.compile(local)).not.toThrow();
  }
});

it("says which routes need no key", () => {
  const open = operations.filter(({ operation }) => operation.security?.length === 0).map(({ path }) => path);
  expect(open.toSorted()).toEqual([
    "/api/v1/capabilities",
    "/api/v1/webhooks/{provider}",
    "/health",
    "/metrics",
    "/ready",
  ]);
});

it("tells queries and bodies as the routes parse them", () => {
  const sql = paths["/api/v1/sql"]?.["post"];
  expect(sql?.requestBody?.content["application/json"]?.schema).toMatchObject({
    type: "object",
    required: ["query"],
    additionalProperties: false,
    properties: { max_rows: { type: "integer", maximum: 10_000 } },
  });
  const events = paths["/api/v1/events"]?.["get"]?.parameters.map(({ name, required }) => ({
    name,
    required,
  }));
  expect(events).toContainEqual({ name: "cursor", required: false });
  const value = paths["/api/v1/kv/buckets/{bucket}/keys/{key}"]?.["put"];
  expect(Object.keys(value?.requestBody?.content ?? {})).toEqual([
    "application/json",
    "application/octet-stream",
  ]);
});
