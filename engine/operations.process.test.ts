import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { ListDeadLettersResponse, RestBreaker } from "./contract/operations.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "./testing/function-server.ts";

let factory: EngineFactory;
let functions: FunctionServer;
let engine: EngineProcess;
let warehouseUp: boolean;
let carrierUp: boolean;

beforeAll(async () => {
  factory = await createEngineFactory();
  functions = await createFunctionServer({
    ship: () => (warehouseUp ? 200 : 503),
    label: async ({ steps }) => {
      await steps.run("weigh", () => 80);
      await steps.run("print", () => {
        if (!carrierUp) throw new Error("carrier is down");
      });
    },
  });
});

beforeEach(async () => {
  warehouseUp = false;
  carrierUp = false;
  engine = await factory.start({ flags: [] });
});

afterAll(async () => {
  await functions.close();
  await factory.close();
});

const breakers = async () => RestBreaker.array().parse((await engine.rest("/api/v1/circuit-breakers")).body);

const statusOf = async (id: string) => String((await engine.ask("GetRun", { id }))["status"]);

it("[F1] opens a breaker after five 503s, keeps it over kill -9, and a reset by its key lets the deferred run go", async () => {
  await engine.ask("RegisterFunction", {
    id: "ship",
    triggers: [{ event: "packed" }],
    endpointUrl: functions.endpoint("ship"),
    retry: { maxAttempts: 5, initialDelayMs: 20, backoffFactor: 1 },
  });
  const first = await engine.ask("Emit", { event: "packed", data: {} });
  const id = String((first["runIds"] as string[])[0]);
  await poll("pause", async () => (await statusOf(id)) === "RUN_STATUS_PAUSED");
  const attempts = await engine.rest(`/api/v1/runs/${id}/attempts`);
  expect(attempts.body).toMatchObject({
    count: 5,
    attempts: [{ attempt: 1, kind: "transport" }, {}, {}, {}, { attempt: 5 }],
  });
  const [open] = await breakers();
  expect(open).toMatchObject({
    function_id: "ship",
    endpoint: functions.endpoint("ship"),
    state: "open",
    consecutive_fails: 5,
  });
  expect(open?.last_failure_reason).toMatch(/^HTTP 503/);

  await engine.end("SIGKILL");
  engine = await factory.start({ flags: [], dataDir: engine.dataDir });
  expect((await breakers())[0]).toEqual(open);
  const second = await engine.ask("Emit", { event: "packed", data: {} });
  const deferred = String((second["runIds"] as string[])[0]);
  expect(await engine.ask("GetRun", { id: deferred })).toMatchObject({ status: "RUN_STATUS_WAITING" });
  expect(await engine.ask("GetRun", { id: deferred })).not.toHaveProperty("error");

  warehouseUp = true;
  const path = `/api/v1/circuit-breakers/${encodeURIComponent(open?.key ?? "")}/reset`;
  const reset = await engine.rest(path, {});
  expect(reset).toMatchObject({
    status: 200,
    body: { key: open?.key, state: "closed", consecutive_fails: 0 },
  });
  expect(reset.body["last_failure_reason"]).toBe(open?.last_failure_reason);
  // The endpoint is up again but answers no push response: that the call was made is what counts here.
  await poll(
    "the deferred run's call",
    async () => (await engine.rest(`/api/v1/runs/${deferred}/attempts`)).body["count"] !== 0,
  );
});

it("shows an event that no expression could judge as a dead letter with its bytes, and keeps the event", async () => {
  await engine.ask("RegisterFunction", {
    id: "vip",
    triggers: [{ event: "placed", expression: "data.customer.tier == 'gold'" }],
    endpointUrl: functions.endpoint("label"),
  });
  const text = '{"note":"grüße","n":12345678901234567890}';
  const emitted = await engine.rest("/api/v1/events", `{"name":"placed","data":${text}}`);
  expect(emitted.body["run_ids"]).toEqual([]);
  const page = ListDeadLettersResponse.parse(
    (await engine.rest("/api/v1/dead-letters?env=env_default&source=routing")).body,
  );
  expect(page).toMatchObject({
    total: 1,
    items: [{ source: "routing", event_id: emitted.body["event_id"], function_id: "vip" }],
  });
  expect(Buffer.from(page.items[0]?.payload ?? "", "base64").toString("utf8")).toBe(text);
  const raw = await fetch(`${engine.url}/api/v1/events/${String(emitted.body["event_id"])}`, {
    headers: { authorization: `Bearer ${engine.key}` },
  });
  expect(await raw.text()).toContain(text);
  expect((await engine.rest("/api/v1/dead-letters?source=resume")).body).toMatchObject({
    items: [],
    total: 0,
  });
});

it("cancels, resumes once and deletes over both eras", async () => {
  await engine.ask("RegisterFunction", {
    id: "label",
    triggers: [{ event: "packed" }],
    endpointUrl: functions.endpoint("label"),
  });
  const { runIds } = await engine.ask("Emit", { event: "packed", data: {} });
  const id = String((runIds as string[])[0]);
  await poll("failure", async () => (await statusOf(id)) === "RUN_STATUS_FAILED");
  carrierUp = true;
  const resumed = await engine.rest("/api/v1/runs/resume", { run_id: id, from_step: "" });
  expect(resumed).toMatchObject({ status: 200, body: { id, attempt: 1 } });
  const again = await engine.connect("ResumeRun", { runId: id });
  expect([again.status, again.body["code"]]).toEqual([409, "already_exists"]);
  await poll("completion", async () => (await statusOf(id)) === "RUN_STATUS_COMPLETED");
  expect(await engine.rest(`/api/v1/runs/${id}/cancel`, {})).toMatchObject({
    status: 400,
    body: { code: "failed_precondition" },
  });
  expect(await engine.ask("DeleteRun", { id })).toEqual({});
  expect((await engine.connect("GetRun", { id })).status).toBe(404);
  expect((await engine.connect("DeleteRun", { id })).body["code"]).toBe("not_found");
});

it("has default rows for project and environment", async () => {
  expect((await engine.rest("/api/v1/projects")).body).toMatchObject([
    { id: "proj_default", name: "default" },
  ]);
  const all = await engine.rest("/api/v1/environments?project_id=proj_default");
  expect(all.body).toMatchObject([{ id: "env_default", name: "default" }]);
  expect((await engine.rest("/api/v1/environments?project_id=proj_none")).body).toEqual([]);
});
