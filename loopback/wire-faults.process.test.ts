import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { BodyAborted, readBody } from "./body.ts";
import { guardRequest } from "./guard.ts";
import { listen, type ListenOptions, type LoopbackServer, type RequestHandler } from "./listen.ts";
import { sendRefusal } from "./refusal.ts";
import { poll } from "./testing/poll.ts";
import { rawConnection, type RawConnection } from "./testing/raw-http.ts";
import { answerOnTheWire, readAnswer, WIRE_FAULTS } from "./testing/wire-faults.ts";

const servers: LoopbackServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const answerBody: RequestHandler = async (request, response) => {
  await readBody(request, { maxBytes: 1_000 });
  response.end("{}");
};

/** Serves nothing but `/door`, behind the guard. What was let in is in `admitted`. */
async function start(options: ListenOptions = {}, serve = answerBody) {
  const admitted: string[] = [];
  const problems: unknown[] = [];
  const server = await listen(
    (at) => async (request, response) => {
      const admission = guardRequest(request, {
        hosts: new Set([at.host]),
        allowedOrigins: new Set(),
        routes: [{ path: "/door", methods: ["POST"] }],
        authenticate: (token) => (token === "key" ? "alice" : undefined),
      });
      if (!admission.ok) return sendRefusal(request, response, admission, options.errorBody);
      admitted.push(admission.path);
      try {
        await serve(request, response);
      } catch (error) {
        if (!(error instanceof BodyAborted)) throw error;
      }
    },
    { closeWithinMs: 100, onError: (error) => problems.push(error), ...options },
  );
  servers.push(server);
  return { server, target: { url: server.url, path: "/door", token: "key" }, admitted, problems };
}

const head = (host: string) =>
  `POST /door HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer key\r\nContent-Type: application/json\r\n`;

describe("what never becomes a request", () => {
  it.each(WIRE_FAULTS)(
    "$title: is answered in JSON, and nothing is done",
    async ({ status, text, ...fault }) => {
      const { target } = await start();
      expect(await answerOnTheWire(target, fault)).toStrictEqual({ status, body: { error: text } });
    },
  );

  it("is answered in the server's own form, as what a handler throws", async () => {
    const errorBody: ListenOptions["errorBody"] = (text, status, target) => ({ text, status, target });
    const { target } = await start({ errorBody }, () => {
      throw new Error("details");
    });
    const none = { text: "bad request", status: 400, target: "" };
    expect((await answerOnTheWire(target, { bytes: "hello\r\n\r\n" })).body).toStrictEqual(none);
    const thrown = { text: "internal error", status: 500, target: "/door" };
    const bytes = "POST /door HTTP/1.1\r\nHost: $H\r\nAuthorization: Bearer $T\r\n\r\n";
    expect((await answerOnTheWire(target, { bytes })).body).toStrictEqual(thrown);
  });

  it.each([
    ["Host: evil.example", 403],
    ["Host: $H\r\nOrigin: https://evil.example", 403],
    ["Host: $H", 401],
    ["Host: $H\r\nAuthorization: Bearer x", 401],
  ])("an expectation with %j is refused for what the guard looks at first", async (headers, status) => {
    const { target, admitted } = await start();
    const bytes = `POST /door HTTP/1.1\r\n${headers}\r\nExpect: tea\r\n\r\n`;
    expect((await answerOnTheWire(target, { bytes })).status).toBe(status);
    expect(admitted).toStrictEqual([]);
  });

  it("headers that do not come are answered 408, and a request that comes after all is not served", async () => {
    const { server, admitted } = await start({ requestTimeoutMs: 300 });
    const raw = await rawConnection(server.port);
    raw.write(head(server.host));
    raw.socket.once("data", () => raw.write("Content-Length: 2\r\n\r\n{}"));
    expect(readAnswer(await raw.closed())).toStrictEqual({ status: 408, body: { error: "request timeout" } });
    expect(admitted).toStrictEqual([]);
  });

  it("a body that does not come is answered 408", async () => {
    const { server } = await start({ requestTimeoutMs: 300 }, () => {});
    const raw = await rawConnection(server.port);
    raw.write(`${head(server.host)}Content-Length: 2\r\n\r\n{`);
    expect(readAnswer(await raw.closed()).status).toBe(408);
  });

  it("is told to a caller that is still sending", async () => {
    const { server } = await start();
    const raw = await rawConnection(server.port);
    raw.write(`BREW / HTTP/1.1\r\n`);
    raw.write("x".repeat(100_000));
    await raw.until(/bad request/);
    for (let part = 0; part < 10; part += 1) raw.write("x".repeat(10_000));
    expect(readAnswer(await raw.closed()).status).toBe(400);
  });

  it.each(["BREW / HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"])(
    "%j ends the connection of a caller that does not hang up",
    async (bytes) => {
      const { server } = await start();
      const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
      try {
        socket.resume();
        socket.write(bytes);
        await once(socket, "end");
        const count = () =>
          new Promise<number>((done) => server.server.getConnections((_, open) => done(open)));
        await expect.poll(count).toBe(0);
      } finally {
        socket.destroy();
      }
    },
  );

  it("cuts off a caller that never stops sending", async () => {
    const { server } = await start();
    const raw = await rawConnection(server.port);
    raw.write("BREW / HTTP/1.1\r\n\r\n");
    const more = setInterval(() => raw.write("x".repeat(0x4000)), 1);
    try {
      expect(await raw.closed()).toMatch(/bad request|^$/);
    } finally {
      clearInterval(more);
    }
  });
});

describe("a fault behind a request", () => {
  const whole = (host: string) => `${head(host)}Content-Length: 2\r\n\r\n{}`;

  /** Requests that a test answers itself, in the order in which they came. */
  async function startHeld(options: ListenOptions = {}) {
    const held: ServerResponse[] = [];
    const started = await start(options, (_request, response) => void held.push(response));
    const openConnections = () =>
      new Promise<number>((done) => started.server.server.getConnections((_, open) => done(open)));
    return { ...started, held, openConnections };
  }

  const GARBAGE = "hello\r\n\r\n";
  const CONNECT = "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n";

  /** Once what follows the requests has been seen: nothing behind them is a request any more. */
  async function seen(server: LoopbackServer, raw: RawConnection, bytes: string): Promise<void> {
    const fault = once(server.server, bytes === CONNECT ? "connect" : "clientError");
    raw.write(bytes);
    await fault;
  }

  it.each([GARBAGE, CONNECT])("(%j) lets the answers to all before it out, and then ends", async (bytes) => {
    const { server, held, problems } = await startHeld();
    const raw = await rawConnection(server.port);
    raw.write(whole(server.host) + whole(server.host));
    await poll("the requests", () => held.length === 2);
    await seen(server, raw, bytes);
    held[0]?.end("one");
    await raw.until(/one$/);
    held[1]?.end("two");
    const received = await raw.closed();
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*oneHTTP\/1\.1 200 [^]*Connection: close[^]*two$/i);
    expect(received.match(/connection: close/gi)).toHaveLength(1);
    expect(problems).toStrictEqual([]);
  });

  it.each([GARBAGE, CONNECT])("(%j) lets the rest of an answer out that has begun", async (bytes) => {
    const { server, held } = await startHeld();
    const raw = await rawConnection(server.port);
    raw.write(whole(server.host));
    await poll("the request", () => held.length === 1);
    held[0]?.write("first");
    await raw.until(/first/);
    await seen(server, raw, bytes);
    held[0]?.end("last");
    const received = await raw.closed();
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(received).toMatch(/first\r\n4\r\nlast\r\n0\r\n\r\n$/);
  });

  it.each([GARBAGE, CONNECT])(
    "(%j) lets an answer out that is larger than what waits for room",
    async (bytes) => {
      const { server, held } = await startHeld();
      const raw = await rawConnection(server.port);
      raw.write(whole(server.host));
      await poll("the request", () => held.length === 1);
      await seen(server, raw, bytes);
      const parts = Array.from({ length: 200 }, () => Buffer.alloc(100_000, "x"));
      Readable.from(parts).pipe(held[0] as ServerResponse);
      expect((await raw.closed()).match(/x/g)).toHaveLength(20_000_000);
    },
  );

  it.each([GARBAGE, CONNECT])("(%j) ends the connection of a caller that hangs up", async (bytes) => {
    const { server, held, openConnections } = await startHeld();
    const raw = await rawConnection(server.port);
    raw.write(whole(server.host));
    await poll("the request", () => held.length === 1);
    await seen(server, raw, bytes);
    raw.socket.end();
    expect(await raw.closed()).toBe("");
    await expect.poll(openConnections).toBe(0);
    expect(held[0]?.destroyed).toBe(true);
  });

  it.each([GARBAGE, CONNECT])("(%j) is cut off when it never stops", async (bytes) => {
    const { server, held } = await startHeld();
    const raw = await rawConnection(server.port);
    raw.write(whole(server.host));
    await poll("the request", () => held.length === 1);
    await seen(server, raw, bytes);
    const more = setInterval(() => raw.write("x".repeat(0x4000)), 1);
    try {
      expect(await raw.closed()).toBe("");
    } finally {
      clearInterval(more);
    }
  });

  it("that is a request to upgrade is not taken, and the answer goes out", async () => {
    const { server, held } = await startHeld();
    const taken: string[] = [];
    server.onUpgrade((request) => void taken.push(request.url ?? ""));
    const raw = await rawConnection(server.port);
    raw.write(whole(server.host));
    await poll("the request", () => held.length === 1);
    const upgrade = once(server.server, "upgrade");
    raw.write(
      `GET /ws HTTP/1.1\r\nHost: ${server.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await upgrade;
    held[0]?.end("one");
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 200 [^]*one$/);
    expect(taken).toStrictEqual([]);
  });

  it("that is a request to upgrade is taken when the answer is over", async () => {
    const { server } = await start();
    server.onUpgrade((_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    const raw = await rawConnection(server.port);
    raw.write(whole(server.host));
    await raw.until(/HTTP\/1\.1 200 [^]*\{\}$/);
    raw.write(
      `GET /ws HTTP/1.1\r\nHost: ${server.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(await raw.closed()).toMatch(/\{\}HTTP\/1\.1 101 /);
  });

  it("comes after the answer to it when that is over", async () => {
    const { server } = await start();
    const raw = await rawConnection(server.port);
    raw.write(`${head(server.host)}Content-Length: 2\r\n\r\n{}`);
    await raw.until(/HTTP\/1\.1 200/);
    raw.write("hello\r\n\r\n");
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 400 [^]*\{"error":"bad request"\}$/);
  });
});
