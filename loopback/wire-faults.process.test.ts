import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { BodyAborted, readBody } from "./body.ts";
import { guardRequest } from "./guard.ts";
import { listen, type ListenOptions, type LoopbackServer, type RequestHandler } from "./listen.ts";
import { sendRefusal } from "./refusal.ts";
import { poll } from "./testing/poll.ts";
import { rawConnection } from "./testing/raw-http.ts";
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
  it("says nothing that would be taken for the answer to it", async () => {
    const begun: string[] = [];
    const { server, problems } = await start({}, async (request, response) => {
      begun.push(request.url ?? "");
      // Long enough that the fault is seen before; then nobody is there any more.
      await once(response, "close");
      response.end("{}");
    });
    const raw = await rawConnection(server.port);
    raw.write(`${head(server.host)}Content-Length: 2\r\n\r\n{}`);
    await poll("the request", () => begun.length === 1);
    raw.write("hello\r\n\r\n");
    expect(await raw.closed()).toBe("");
    expect(problems).toStrictEqual([]);
  });

  it("leaves an answer that has begun as it is", async () => {
    const { server } = await start({}, (_request, response) => void response.write("first"));
    const raw = await rawConnection(server.port);
    raw.write(`${head(server.host)}Content-Length: 2\r\n\r\n{}`);
    await raw.until(/first/);
    raw.write("hello\r\n\r\n");
    const received = await raw.closed();
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(received).toMatch(/first\r\n$/);
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
