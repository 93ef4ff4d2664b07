import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
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
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Reply["body"] };
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

/** What the audit tells of keys, oldest first. */
async function authTrail(url: string, key: string, message: object = {}): Promise<Reply["body"][]> {
  const service = "/ironflow.v1.AuditService/GetAuthAuditTrail";
  const { body } = await call(url, service, { key, body: { limit: 100, ...message } });
  return ((body["events"] ?? []) as Reply["body"][]).toReversed();
}

it("[2.7] deletes an environment with its keys, which are no longer good, and leaves nothing of it to the next of its name", async () => {
  const engine = await factory.start({ flags: [] });
  const service = "/ironflow.v1.EnvironmentService/";
  const make = async () => {
    const { body } = await call(engine.url, `${service}CreateEnvironment`, {
      key: engine.key,
      body: { name: "staging" },
    });
    return String(body["apiKey"]);
  };
  const first = await make();
  const secret = { name: "TOKEN", value: "x" };
  expect((await call(engine.url, "/api/v1/secrets", { key: first, body: secret })).status).toBe(200);
  const remove = (path: string, key: string) => call(engine.url, path, { key, method: "DELETE" });
  // It holds a secret.
  expect((await remove("/api/v1/environments/env_staging", engine.key)).status).toBe(400);
  expect((await call(engine.url, "/api/v1/runs", { key: first })).status).toBe(200);
  await remove("/api/v1/secrets/TOKEN", first);
  // Only the keys of the environment the engine serves delete another one.
  expect((await remove("/api/v1/environments/env_staging", first)).status).toBe(403);
  expect((await remove("/api/v1/environments/env_staging", engine.key)).status).toBe(200);
  expect((await call(engine.url, "/api/v1/runs", { key: first })).status).toBe(401);

  const second = await make();
  expect(second).not.toBe(first);
  const { body } = await call(engine.url, "/api/v1/audit", { key: second });
  expect((body["events"] as Reply["body"][]).map((row) => row["event_type"])).toEqual([
    "auth.key_created",
    "environment.created",
  ]);
});

it("[2.7] keeps id and key of an environment that is renamed, over a restart too; projects only an administrator changes", async () => {
  const first = await factory.start({ flags: [] });
  const made = await call(first.url, "/ironflow.v1.EnvironmentService/CreateEnvironment", {
    key: first.key,
    body: { name: "staging" },
  });
  const staging = String(made.body["apiKey"]);
  const put = { method: "PUT", body: { name: "stage" } };
  expect((await call(first.url, "/api/v1/environments/env_staging", { key: staging, ...put })).status).toBe(
    403,
  );
  await call(first.url, "/api/v1/environments/env_staging", { key: first.key, ...put });
  for (const name of ["stage", "env_staging"])
    expect((await call(first.url, "/api/v1/runs", { key: staging, environment: name })).status).toBe(200);
  expect((await call(first.url, "/api/v1/runs", { key: staging, environment: "staging" })).status).toBe(403);
  expect((await call(first.url, "/api/v1/projects", { key: staging, body: { name: "p" } })).status).toBe(403);
  const { dataDir } = first;
  await first.end("SIGTERM");

  // Started for an environment of the old name, which is another one now.
  const second = await factory.start({ dataDir, flags: ["--dev", "--env=staging"] });
  const names = (await call(second.url, "/api/v1/environments")).body as unknown as {
    id: string;
    name: string;
  }[];
  expect(names.map((row) => [row.id, row.name])).toEqual([
    ["env_default", "default"],
    ["env_staging", "stage"],
    ["env_staging_2", "staging"],
  ]);
});

it("[2.14] notes who was refused, once a minute at most, and never a key", async () => {
  const engine = await factory.start({ flags: [] });
  const made = await call(engine.url, "/ironflow.v1.EnvironmentService/CreateEnvironment", {
    key: engine.key,
    body: { name: "staging" },
  });
  const staging = String(made.body["apiKey"]);
  for (let times = 0; times < 5; times += 1) {
    expect((await call(engine.url, "/api/v1/runs", { key: "ifkey_nobodys-own-key" })).status).toBe(401);
    expect((await call(engine.url, "/api/v1/runs", { key: staging, environment: "default" })).status).toBe(
      403,
    );
  }
  let told: Reply["body"][] = [];
  await poll("both refusals", async () => {
    told = await authTrail(engine.url, engine.key);
    return told.length >= 4;
  });
  const keyOf = (row: Reply["body"] | undefined) =>
    (row?.["payload"] as Reply["body"] | undefined)?.["apiKeyId"] ??
    (row?.["payload"] as Reply["body"] | undefined)?.["api_key_id"];
  expect(told.map((row) => row["eventType"])).toEqual([
    "auth.key_created",
    "auth.key_created",
    "auth.failed",
    "auth.denied",
  ]);
  expect(told[2]).toMatchObject({ payload: { path: "/api/v1/runs", count: 1 } });
  expect(told[3]).toMatchObject({
    payload: {
      environment_id: "env_staging",
      reason: expect.stringMatching(/^X-Ironflow-Environment: /) as unknown,
    },
  });
  // The key's own trail, and what it did.
  expect(keyOf(told[3])).toBe(keyOf(told[1]));
  const own = await authTrail(engine.url, staging, { apiKeyId: keyOf(told[3]) });
  expect(own.map((row) => row["eventType"])).toEqual(["auth.denied"]);
  for (const key of [engine.key, staging, "nobodys-own-key"]) expect(JSON.stringify(told)).not.toContain(key);
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
