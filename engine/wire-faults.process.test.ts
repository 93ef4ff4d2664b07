import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoopbackServer } from "../loopback/listen.ts";
import { answerOnTheWire, WIRE_FAULTS } from "../loopback/testing/wire-faults.ts";
import { createPartners } from "./demo/partners.ts";
import { startShopServer } from "./demo/server.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";

let factory: EngineFactory;
let engine: EngineProcess;
let shop: LoopbackServer;
beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start({ flags: [] });
  shop = await startShopServer({ handlers: new Map(), partners: createPartners(), signingKey: undefined });
});
afterAll(async () => {
  await shop.close();
  await factory.close();
});

const at = (path: string, token = engine.key) => ({ url: engine.url, path, token });

describe("what never becomes a request", () => {
  it.each(WIRE_FAULTS)(
    "$title: the engine answers as its REST doors do",
    async ({ status, text, ...fault }) => {
      const body = { error: text, code: "invalid_argument" };
      expect(await answerOnTheWire(at("/api/v1/events"), fault)).toStrictEqual({ status, body });
      expect((await engine.rest("/api/v1/events")).body).toMatchObject({ count: 0 });
    },
  );

  it.each(WIRE_FAULTS)("$title: the shop of the demo answers in JSON", async ({ status, text, ...fault }) => {
    const target = { url: shop.url, path: "/functions/none", token: "none" };
    expect(await answerOnTheWire(target, fault)).toStrictEqual({ status, body: { error: text } });
  });

  it("is told in the form of Connect where its path could be read", async () => {
    const service = "/ironflow.v1.IronflowService/ListRuns";
    for (const fault of WIRE_FAULTS.filter(({ title }) => title.includes("chunk"))) {
      const body = { code: "invalid_argument", message: fault.text };
      expect(await answerOnTheWire(at(service), fault)).toStrictEqual({ status: fault.status, body });
    }
  });
});

describe("a request to upgrade", () => {
  const headers = "Host: $H\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  const key = "Authorization: Bearer $T\r\n";
  const handshake = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

  it.each<[string, string, number, object]>([
    [
      "without a key",
      `GET /ws HTTP/1.1\r\n${headers}${handshake}\r\n`,
      401,
      { error: "authentication required", code: "unauthenticated" },
    ],
    [
      "with a foreign Host",
      `GET /ws HTTP/1.1\r\n${headers.replace("$H", "evil.example")}${key}${handshake}\r\n`,
      403,
      { error: "forbidden", code: "permission_denied" },
    ],
    [
      "of a path that is none",
      `GET /nothing HTTP/1.1\r\n${headers}${key}${handshake}\r\n`,
      404,
      { error: "not found", code: "unimplemented" },
    ],
    [
      "of a bucket, not of its watch",
      `GET /api/v1/kv/buckets/b HTTP/1.1\r\n${headers}${key}${handshake}\r\n`,
      404,
      { error: "nothing to upgrade to", code: "not_found" },
    ],
    [
      "with another method",
      `POST /ws HTTP/1.1\r\n${headers}${key}${handshake}\r\n`,
      405,
      { error: "method not allowed", code: "unimplemented" },
    ],
    [
      "for an environment that is none",
      `GET /ws?env=none HTTP/1.1\r\n${headers}${key}${handshake}\r\n`,
      403,
      { error: "env: there is no such environment, or not for this key", code: "permission_denied" },
    ],
    [
      "without the rest of the handshake",
      `GET /ws HTTP/1.1\r\n${headers}${key}\r\n`,
      400,
      { error: "bad request", code: "invalid_argument" },
    ],
    [
      "to another protocol",
      `GET /ws HTTP/1.1\r\n${headers.replace("websocket", "tea")}${key}${handshake}\r\n`,
      400,
      { error: "bad request", code: "invalid_argument" },
    ],
  ])("%s is refused in JSON, and its connection ends", async (_title, bytes, status, body) => {
    expect(await answerOnTheWire(at("/ws"), { bytes })).toStrictEqual({ status, body });
  });
});
