import { createHmac } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  createPushClient,
  IDLE_MS,
  MAX_PUSH_ANSWER_BYTES,
  type PushClient,
  type PushOutcome,
} from "./push.ts";

let server: Server;
let endpoint: string;
let listener: RequestListener;
let client: PushClient;

beforeEach(async () => {
  server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/f`;
  client = createPushClient(undefined);
});

afterEach(async () => {
  client.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

const call = (budgetMs = 5_000): Promise<PushOutcome> =>
  client.call({ endpoint, body: '{"run_id":"r"}', budgetMs, masked: (text) => text });

const reasonOf = (outcome: PushOutcome): string =>
  outcome.kind === "transport" ? outcome.reason : "an answer";

it("takes a valid answer and keeps every digit of its payloads", async () => {
  listener = (_, response) =>
    response.end('{"status":"completed","steps":null,"result":{"n":12345678901234567890}}');
  const outcome = await call();
  expect(outcome.kind === "answer" && outcome.answer.status).toBe("completed");
  expect(JSON.stringify(outcome)).toContain("12345678901234567890");
});

it.each([
  [500, "boom", /^HTTP 500: boom$/],
  [404, "", /^HTTP 404: $/],
  [204, "", /^HTTP 204/],
  [301, "", /^HTTP 301/],
  [200, "no json", /is not JSON/],
  [200, '{"status":"done"}', /is no push response: status/],
  [200, '{"status":"failed","error":{"message":"x"}}', /error.retryable/],
  [200, `{"status":"completed","result":${"[".repeat(100)}${"]".repeat(100)}}`, /nested too deeply/],
])("takes status %i with the body %s as a failed call", async (status, body, reason) => {
  listener = (_, response) => response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(body);
  expect(reasonOf(await call())).toMatch(reason);
});

it("takes no answer whose bytes are not UTF-8, where a replaced one would change a payload unseen", async () => {
  listener = (_, response) =>
    response.end(Buffer.from('{"status":"completed","steps":null,"result":"\xff"}', "latin1"));
  expect(reasonOf(await call())).toBe("the answer is not valid UTF-8");
});

it("cuts off an answer that grows over the limit", async () => {
  listener = (_, response) => {
    const part = Buffer.alloc(1024 * 1024, 0x20);
    for (let n = 0; n < 16; n += 1) response.write(part);
  };
  expect(reasonOf(await call())).toBe(`the answer is over ${MAX_PUSH_ANSWER_BYTES} bytes`);
});

it("gives up when the budget is over, before and after the head of the answer", async () => {
  listener = () => {};
  expect(reasonOf(await call(30))).toBe("no answer within 30 ms");
  listener = (_, response) => {
    response.writeHead(200);
    response.write("{");
  };
  expect(reasonOf(await call(30))).toBe("no answer within 30 ms");
});

it("names the reason when nobody listens or the answer breaks off", async () => {
  listener = (request) => request.socket.destroy();
  expect(reasonOf(await call())).toMatch(/ECONNRESET/);
  listener = (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.socket?.destroy());
  };
  expect(reasonOf(await call())).toMatch(/broke off|ECONNRESET/);
  const away = await client.call({
    endpoint: "http://127.0.0.1:1/",
    body: "{}",
    budgetMs: 5_000,
    masked: (text) => text,
  });
  expect(reasonOf(away)).toMatch(/ECONNREFUSED/);
});

it("never makes a call twice: what died on a connection that had been used before may have been seen", async () => {
  let served = 0;
  listener = (request, response) => {
    served += 1;
    if (served === 2) request.socket.resetAndDestroy();
    else response.end('{"status":"completed"}');
  };
  expect(await call()).toMatchObject({ kind: "answer" });
  expect(reasonOf(await call())).toContain("ECONNRESET");
  expect(served).toBe(2);
});

it("uses a connection again, and closes it itself when it is idle, before the server does", async () => {
  server.keepAliveTimeout = 0;
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  listener = (_, response) => response.end('{"status":"completed"}');
  await call();
  await call();
  expect(sockets.length).toBe(1);
  await expect.poll(() => sockets[0]?.destroyed).toBe(true);
});

it("waits for a slow answer longer than an idle connection is kept", async () => {
  listener = (_, response) => response.end('{"status":"completed"}');
  await call();
  listener = (_, response) => setTimeout(() => response.end('{"status":"completed"}'), 2 * IDLE_MS);
  expect(await call(20_000)).toMatchObject({ kind: "answer" });
});

it("signs the raw body when there is a key", async () => {
  client.close();
  client = createPushClient("secret");
  let seen: { body: string; signature: unknown } | undefined;
  listener = (request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString("utf8")));
    request.on("end", () => {
      seen = { body, signature: request.headers["x-ironflow-signature"] };
      response.end('{"status":"completed"}');
    });
  };
  await call();
  const wanted = `sha256=${createHmac("sha256", "secret").update('{"run_id":"r"}').digest("hex")}`;
  expect(seen).toEqual({ body: '{"run_id":"r"}', signature: wanted });
});

it("ends calls under way when it is closed", async () => {
  listener = () => {};
  const outcome = call();
  await new Promise<void>((resolve) => server.once("request", () => resolve()));
  client.close();
  expect(reasonOf(await outcome)).toBe("the engine stopped");
});
