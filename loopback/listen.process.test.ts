import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { listen, NoFreePort, type ListenOptions, type LoopbackServer } from "./listen.ts";
import { poll } from "./testing/poll.ts";
import { rawConnection } from "./testing/raw-http.ts";

const servers: LoopbackServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options: ListenOptions = {}): Promise<LoopbackServer> {
  const server = await listen(
    (at) => (request, response) => {
      if (request.url === "/stream") response.write("first");
      else if (request.url !== "/silent") response.end(at.host);
    },
    { closeWithinMs: 100, ...options },
  );
  servers.push(server);
  return server;
}

const get = (server: LoopbackServer, path: string) => `GET ${path} HTTP/1.1\r\nHost: ${server.host}\r\n\r\n`;

describe("listen", () => {
  it("takes a free port on 127.0.0.1 and nowhere else", async () => {
    const server = await start();
    expect(server.server.address()).toStrictEqual({
      address: "127.0.0.1",
      family: "IPv4",
      port: server.port,
    });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(`${server.url}/`)).text()).toBe(server.host);
  });

  it("takes the first free port of a list, and says so when none is free", async () => {
    const [first, second] = [await start(), await start()];
    const free = await start();
    await free.close();
    const third = await start({ port: [first.port, second.port, free.port] });
    expect(third.port).toBe(free.port);
    const none = listen(() => () => {}, { port: [first.port, second.port] });
    await expect(none).rejects.toThrow(NoFreePort);
    await expect(none).rejects.toThrow(`${first.port}, ${second.port}`);
  });

  it("does not go on to the next port after another error", async () => {
    const one = await start();
    await one.close();
    await expect(listen(() => () => {}, { port: [70_000, one.port] })).rejects.toThrow(RangeError);
  });

  it("frees its port when it is closed", async () => {
    const server = await start();
    await server.close();
    const next = createServer();
    await new Promise<void>((resolve, reject) => {
      next.once("error", reject);
      next.listen(server.port, "127.0.0.1", resolve);
    });
    expect(next.listening).toBe(true);
    await new Promise((resolve) => next.close(resolve));
  });

  it("closes with idle, streaming, unanswered, upgraded and silent connections open", async () => {
    const server = await start();
    let upgraded = false;
    server.onUpgrade((_request, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
      upgraded = true;
    });
    const idle = await rawConnection(server.port);
    idle.write(get(server, "/"));
    await idle.until(/200 OK/);
    const streaming = await rawConnection(server.port);
    streaming.write(get(server, "/stream"));
    await streaming.until(/first/);
    const unanswered = await rawConnection(server.port);
    unanswered.write(get(server, "/silent"));
    const upgrade = await rawConnection(server.port);
    upgrade.write(get(server, "/").replace("\r\n\r\n", "\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"));
    await poll("upgrade", () => upgraded);
    const silent = await rawConnection(server.port);
    await Promise.all([server.close(), server.close()]);
    for (const raw of [idle, streaming, unanswered, upgrade, silent]) await raw.closed();
    expect(server.server.listening).toBe(false);
  });

  it("lets an answer that is under way finish, and then closes without waiting for the limit", async () => {
    let finish: (() => void) | undefined;
    const server = await listen(
      () => (_request, response) => {
        finish = () => response.end("whole answer");
      },
      { closeWithinMs: 60_000 },
    );
    const raw = await rawConnection(server.port);
    raw.write(get(server, "/"));
    const answer = await poll("request", () => finish);
    const closed = server.close();
    answer();
    await closed;
    expect(await raw.closed()).toContain("whole answer");
  });

  it("lets the connection that has been without a request longest make way for one above its limit", async () => {
    const server = await start({ maxConnections: 3 });
    const silent = await rawConnection(server.port);
    const half = await rawConnection(server.port);
    half.write("GET / HTTP/1.1\r\nHost:");
    const idle = await rawConnection(server.port);
    idle.write(get(server, "/"));
    await idle.until(/200 OK/);
    const streaming = await rawConnection(server.port);
    streaming.write(get(server, "/stream"));
    await streaming.until(/first/);
    await silent.closed();
    await rawConnection(server.port);
    await half.closed();
    await rawConnection(server.port);
    await idle.closed();
    expect(streaming.socket.closed).toBe(false);
  });

  it("drops a connection above its limit when all others have a request under way", async () => {
    const server = await start({ maxConnections: 1 });
    const first = await rawConnection(server.port);
    first.write(get(server, "/stream"));
    await first.until(/first/);
    const second = await rawConnection(server.port);
    await second.closed();
    expect(first.socket.closed).toBe(false);
    first.destroy();
    await poll("room for another", async () => (await fetch(server.url).catch(() => undefined))?.ok);
  });

  it("gives up on a client that sends its request too slowly", async () => {
    const server = await start({ requestTimeoutMs: 300 });
    const raw = await rawConnection(server.port);
    raw.write("GET / HTTP/1.1\r\n");
    expect(await raw.closed()).toContain("408");
  });
});
