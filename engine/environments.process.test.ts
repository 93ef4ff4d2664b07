import { afterAll, beforeAll, expect, it } from "vitest";
import { createEngineFactory, type EngineFactory } from "./testing/engine-process.ts";
import { rawStatus } from "./testing/raw-http.ts";

let factory: EngineFactory;

beforeAll(async () => {
  factory = await createEngineFactory();
});

afterAll(() => factory.close());

interface Reply {
  status: number;
  body: Record<string, unknown>;
}

/** A call with a key and perhaps a wish for an environment. */
async function call(
  url: string,
  path: string,
  options: { key?: string; environment?: string; body?: unknown; method?: string } = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method: options.method ?? (options.body === undefined ? "GET" : "POST"),
    headers: {
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      ...(options.environment === undefined ? {} : { "x-ironflow-environment": options.environment }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  return { status: response.status, body: (await response.json()) as Reply["body"] };
}

it("binds every key to its environment: another one is refused, and nothing of it is seen", async () => {
  const engine = await factory.start({ flags: [] });
  const service = "/ironflow.v1.EnvironmentService/";
  const made = await call(engine.url, `${service}CreateEnvironment`, {
    key: engine.key,
    body: { name: "staging" },
  });
  expect(made).toMatchObject({ status: 200, body: { id: "env_staging", name: "staging" } });
  const staging = String(made.body["apiKey"]);
  expect(staging).toMatch(/^ifkey_/);

  await call(engine.url, "/api/v1/events", { key: engine.key, body: { name: "in.default" } });
  await call(engine.url, "/api/v1/events", { key: staging, body: { name: "in.staging" } });
  const names = async (key: string) =>
    ((await call(engine.url, "/api/v1/events", { key })).body["events"] as { name: string }[]).map(
      (event) => event.name,
    );
  expect([await names(engine.key), await names(staging)]).toEqual([["in.default"], ["in.staging"]]);

  for (const environment of ["staging", "env_staging"]) {
    expect((await call(engine.url, "/api/v1/runs", { key: staging, environment })).status).toBe(200);
    const refused = await call(engine.url, "/api/v1/runs", { key: engine.key, environment });
    expect(refused).toMatchObject({
      status: 403,
      body: { error: "X-Ironflow-Environment: the key speaks for another environment" },
    });
  }
  // Only the keys of the environment the engine serves look after the others.
  const rotate = { key: staging, body: { id: "env_default" } };
  expect((await call(engine.url, `${service}RotateAPIKey`, rotate)).status).toBe(404);
  expect(
    (await call(engine.url, `${service}CreateEnvironment`, { key: staging, body: { name: "x" } })).status,
  ).toBe(403);
  const used = await call(engine.url, "/api/v1/environments/env_staging", {
    key: engine.key,
    method: "DELETE",
  });
  expect([used.status, used.body["code"]]).toEqual([400, "failed_precondition"]);

  const rotated = await call(engine.url, `${service}RotateAPIKey`, {
    key: staging,
    body: { id: "env_staging" },
  });
  expect((await call(engine.url, "/api/v1/runs", { key: staging })).status).toBe(401);
  expect((await call(engine.url, "/api/v1/runs", { key: String(rotated.body["apiKey"]) })).status).toBe(200);
  expect(engine.stderr()).not.toContain("ifkey_");
});

it("checks Host and Origin even with --dev, at every door", async () => {
  const engine = await factory.start();
  const { host } = new URL(engine.url);
  const doors: [string, string][] = [
    ["GET", "/api/v1/runs"],
    ["GET", "/health"],
    ["POST", "/ironflow.v1.IronflowService/ListRuns"],
    ["POST", "/ironflow.v1.PubSubService/Subscribe"],
    ["GET", "/ws"],
    ["PUT", "/api/v1/workers/w/register"],
  ];
  for (const [method, path] of doors) {
    const upgrade =
      path === "/ws"
        ? [
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          ]
        : [];
    const send = (headers: string[]) =>
      rawStatus(
        engine.url,
        [
          `${method} ${path} HTTP/1.1`,
          ...headers,
          ...upgrade,
          ...(method === "GET" ? [] : ["Content-Type: application/json", "Content-Length: 2"]),
        ],
        method === "GET" ? "" : "\r\n{}",
      );
    for (const headers of [
      ["Host: evil.example"],
      [`Host: ${host}`, "Origin: http://evil.example"],
      [`Host: ${host}`, "Origin: null"],
    ]) {
      expect([path, headers, await send(headers)]).toEqual([path, headers, 403]);
    }
  }
});

it("lets a caller without key choose among the environments that exist", async () => {
  const engine = await factory.start();
  await call(engine.url, "/api/v1/environments", { body: { name: "staging" } });
  await call(engine.url, "/api/v1/events", { environment: "staging", body: { name: "there" } });
  expect((await call(engine.url, "/api/v1/events")).body["count"]).toBe(0);
  expect((await call(engine.url, "/api/v1/events", { environment: "env_staging" })).body["count"]).toBe(1);
  expect((await call(engine.url, "/api/v1/events", { environment: "none" })).status).toBe(403);
});
