import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "./testing/function-server.ts";
import { parsePrometheus } from "./testing/prometheus.ts";

let factory: EngineFactory;
let engine: EngineProcess;
let functions: FunctionServer;

beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start({ flags: [] });
  functions = await createFunctionServer({ payroll: ({ steps }) => steps.run("one", () => 1) });
  await engine.ask("RegisterFunction", {
    id: "payroll",
    triggers: [{ event: "go" }],
    endpointUrl: functions.endpoint("payroll"),
  });
  const { runIds } = await engine.ask("Emit", { event: "go", data: {} });
  const [id] = runIds as string[];
  await poll(
    "the run",
    async () => (await engine.ask("GetRun", { id }))["status"] === "RUN_STATUS_COMPLETED",
  );
});

afterAll(async () => {
  await functions.close();
  await factory.close();
});

const metrics = async () => {
  const response = await fetch(`${engine.url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return parsePrometheus(await response.text());
};

it("tells its numbers to Prometheus without a key, and names nobody's function, event or environment", async () => {
  const before = await metrics();
  const value = (samples: typeof before, name: string, labels: object = {}) =>
    samples.find(
      (sample) => sample.name === name && Object.entries(labels).every(([k, v]) => sample.labels[k] === v),
    )?.value;
  expect(value(before, "ironflow_runs", { status: "completed" })).toBe(1);
  expect(value(before, "ironflow_runs", { status: "failed" })).toBe(0);
  expect(value(before, "ironflow_events")).toBe(1);
  expect(value(before, "ironflow_functions")).toBe(1);
  expect(value(before, "ironflow_circuit_breakers", { state: "open" })).toBe(0);
  expect(JSON.stringify(before)).not.toMatch(/payroll|env_default/);
  const requests = (samples: typeof before) =>
    value(samples, "ironflow_http_requests_total", { kind: "rest", status: "404" }) ?? 0;
  await engine.rest("/api/v1/runs/run_none");
  expect(requests(await metrics())).toBe(requests(before) + 1);
});

it("is ready while it can write, and says what keeps it from that", async () => {
  const ready = await fetch(`${engine.url}/ready`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
});

it("answers what openapi.json says it answers", async () => {
  const { body: document } = await engine.rest("/api/v1/openapi.json");
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "openapi", ...document });
  const [order, sum] = ["described-order", "described-sum"];
  const appended = { entity_type: "order", event_name: "order.described", data: { n: 1 } };
  const { body: first } = await engine.rest(`/api/v1/streams/${order}/events`, appended);
  await engine.rest(`/api/v1/streams/${order}/snapshots`, { entity_version: 1, state: { n: 1 } });
  const projection = { name: sum, events: ["order.described"], mode: "managed" };
  await engine.ask("ProjectionService/RegisterProjection", projection);
  const saved = { name: sum, state: { n: 1 }, lastEventId: first["event_id"] };
  await engine.ask("ProjectionService/SaveProjectionState", saved);
  await engine.ask("ProjectionService/RebuildProjection", { name: sum });
  const runs = (await engine.rest("/api/v1/runs")).body["runs"] as { id: string; event_id: string }[];
  const values: Record<string, string> = {
    "/api/v1/runs/{id}": runs[0]?.id ?? "",
    "/api/v1/events/{id}": runs[0]?.event_id ?? "",
    "/api/v1/functions/{id}": "payroll",
    "/api/v1/streams/{entity}": order,
    "/api/v1/projections/{projection}": sum,
  };
  const paths = document["paths"] as Record<string, Record<string, { responses: object }>>;
  let checked = 0;
  for (const [path, item] of Object.entries(paths)) {
    const base = Object.keys(values).find((start) => path.startsWith(start));
    if (item["get"] === undefined || path === "/metrics" || (path.includes("{") && base === undefined))
      continue;
    const asked = base === undefined ? path : path.replace(/\{\w+\}/, encodeURIComponent(values[base] ?? ""));
    // Those under capacity are for keys of the platform, which this engine has none of.
    if (asked.includes("{") || asked.startsWith("/api/v1/capacity/")) continue;
    const { status, body } = await engine.rest(asked);
    expect([path, status]).toEqual([path, 200]);
    const place = `openapi#/paths/${encodeURIComponent(path.replaceAll("/", "~1"))}/get/responses/200/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: place });
    expect([path, validate(body), validate.errors]).toEqual([path, true, null]);
    checked += 1;
  }
  expect(checked).toBeGreaterThan(25);
});
