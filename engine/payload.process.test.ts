import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";

let factory: EngineFactory;
let engine: EngineProcess;

beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start();
});

afterAll(() => factory.close());

const PAYLOAD = '{"__proto__":{"a":1},"constructor":{"prototype":{}},"n":12345678901234567890,"toJSON":1}';
const METADATA = '{"__proto__":"x","k":12345678901234567890}';
const CONNECT = "/ironflow.v1.IronflowService/";

it.each([
  ["Connect Emit", `${CONNECT}Emit`, `{"event":"p.1","data":${PAYLOAD},"metadata":${METADATA}}`],
  ["Connect Emit's twin", `${CONNECT}Emit`, `{"event":"p.2","dataValue":${PAYLOAD},"metadata":${METADATA}}`],
  ["REST", "/api/v1/events", `{"name":"p.3","data":${PAYLOAD},"metadata":${METADATA}}`],
])("keeps every member and every digit of a payload that comes through %s", async (_, path, body) => {
  const name = /p\.\d/.exec(body)?.[0] ?? "";
  expect(await engine.rest(path, body)).toMatchObject({ status: 200 });
  const list = await fetch(`${engine.url}/api/v1/events?names=${name}`);
  const text = await list.text();
  expect(text).toContain(`"data":${PAYLOAD}`);
  expect(text).toContain(`"metadata":${METADATA}`);
});

it.each([
  ["a list", "[]"],
  ["a text", '"x"'],
  ["a long number", "12345678901234567890"],
])("takes no %s for an event's data or metadata where only an object may be", async (_, json) => {
  const data = await engine.rest(`${CONNECT}Emit`, `{"event":"p","data":${json}}`);
  expect(data).toMatchObject({ status: 400, body: { code: "invalid_argument" } });
  expect(data.body["message"]).toBe("data: must be an object; send other JSON as data_value");
  const metadata = await engine.rest("/api/v1/events", `{"name":"p","metadata":${json}}`);
  expect(metadata).toMatchObject({ status: 400, body: { code: "invalid_argument" } });
  expect(metadata.body["error"]).toBe("metadata: must be an object");
});

it("does not take a caller who goes away in the middle of a body for a fault of its own", async () => {
  const before = engine.stderr() + engine.stdout();
  const half = request(`${engine.url}/api/v1/events`, {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": "100" },
  });
  half.on("error", () => {
    // Broken off by ourselves.
  });
  half.write("{");
  await new Promise<void>((resolve) => half.once("socket", (socket) => socket.once("connect", resolve)));
  half.destroy();
  await poll("an answer", async () => (await engine.rest("/health")).status === 200);
  expect((engine.stderr() + engine.stdout()).slice(before.length)).not.toContain("a call failed");
});
