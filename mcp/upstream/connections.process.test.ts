import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync, brotliCompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { CLIENTS, textOf } from "../testing/clients.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { proxyServer, type ProxyServer } from "../testing/proxy-server.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";
import { tlsAuthority, type TlsAuthority } from "../testing/tls-authority.ts";
import { Connections } from "./connections.ts";
import { HttpClient } from "./http.ts";

/** Real TLS and real proxies, seen through the tool server's own process and its environment. */
const HOST = "engine.test";
let file: Bundle;
let authority: TlsAuthority;
let stranger: TlsAuthority;
let engine: StubEngine;
let secure: ReturnType<typeof createServer>;
let port: number;
const proxies: ProxyServer[] = [];

beforeAll(async () => {
  file = await bundleEntry(new URL("../server/main.ts", import.meta.url));
  authority = tlsAuthority([HOST, "127.0.0.1"]);
  stranger = tlsAuthority(["stranger.test"]);
});
afterAll(async () => {
  authority.remove();
  stranger.remove();
  await file.remove();
});

beforeEach(async () => {
  engine = await stubEngine(newerEra());
  secure = createServer({ cert: authority.cert, key: authority.key });
  for (const listener of engine.server.listeners("request"))
    secure.on("request", listener as (...args: unknown[]) => void);
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  port = (secure.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
  await new Promise<void>((resolve) => {
    secure.close(() => resolve());
    secure.closeAllConnections();
  });
  await engine.close();
});

const [, , , { connect }] = CLIENTS;

async function info(serverUrl: string, env: Record<string, string>) {
  const client = await connect({ args: [file.file, "--server-url", serverUrl], env });
  const answer = await client.call("ironflow_server_info", {});
  await client.close();
  return textOf(answer) as { status?: string; error?: string; retryable?: boolean; hint?: string };
}

async function throughProxy(to: number, password?: string): Promise<ProxyServer> {
  const proxy = await proxyServer({ port: to }, password);
  proxies.push(proxy);
  return proxy;
}

describe("an engine over TLS", () => {
  it("is refused when nobody vouches for it, with the reason and what to do", async () => {
    expect(await info(`https://127.0.0.1:${port}`, {})).toMatchObject({
      error: expect.stringMatching(/certificate of the engine .* not trusted \(.*SELF_SIGNED.*\)/),
      code: "unavailable",
      retryable: false,
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
  });

  it.each(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])("is trusted when %s vouches for it", async (name) => {
    expect(await info(`https://127.0.0.1:${port}`, { [name]: authority.file })).toMatchObject({
      status: "healthy",
    });
  });

  it("is not trusted through somebody else's certificate, nor through a file that is not there", async () => {
    for (const path of [stranger.file, "/nowhere/ca.pem"])
      expect(await info(`https://127.0.0.1:${port}`, { NODE_EXTRA_CA_CERTS: path })).toMatchObject({
        error: expect.stringContaining("not trusted"),
      });
  });
});

describe("a proxy", () => {
  it("carries TLS through, and sees only where it goes", async () => {
    const proxy = await throughProxy(port);
    const env = { HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: authority.file };
    expect(await info(`https://${HOST}`, env)).toMatchObject({ status: "healthy", url: `https://${HOST}` });
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${HOST}:443`]));
  });

  it("cannot stand in for the engine", async () => {
    const proxy = await throughProxy(port);
    const env = { HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: authority.file };
    expect(await info("https://other.test", env)).toMatchObject({
      error: expect.stringContaining("not trusted (ERR_TLS_CERT_ALTNAME_INVALID)"),
    });
  });

  it("is asked with the whole address for a plain engine, and NO_PROXY goes round it", async () => {
    const proxy = await throughProxy(Number(new URL(engine.url).port));
    const env = { HTTP_PROXY: `http://${proxy.host}` };
    expect(await info(`http://${HOST}`, env)).toMatchObject({ status: "healthy" });
    expect(proxy.asked).toContain(`GET http://${HOST}/health`);
    expect(engine.requests.every(({ headers }) => headers.host === HOST)).toBe(true);
    const before = proxy.asked.length;
    const around = await info(`http://${HOST}`, { ...env, NO_PROXY: HOST });
    expect(around.error).toMatch(/cannot be reached|was lost/);
    expect(proxy.asked).toHaveLength(before);
  });

  it("is not used for loopback", async () => {
    const proxy = await throughProxy(1);
    expect(await info(engine.url, { HTTP_PROXY: `http://${proxy.host}` })).toMatchObject({
      status: "healthy",
    });
    expect(proxy.asked).toEqual([]);
  });

  it("gets its password, and errors say what is wrong without it", async () => {
    for (const [to, url, variable] of [
      [port, `https://${HOST}`, "HTTPS_PROXY"],
      [Number(new URL(engine.url).port), `http://${HOST}`, "HTTP_PROXY"],
    ] as const) {
      const proxy = await throughProxy(to, "hunter2");
      const env = { NODE_EXTRA_CA_CERTS: authority.file };
      const good = await info(url, { ...env, [variable]: `http://user:hunter2@${proxy.host}` });
      expect(good).toMatchObject({ status: "healthy" });
      const bad = await info(url, { ...env, [variable]: `http://user:wrong-one@${proxy.host}` });
      expect(bad).toMatchObject({
        error: `the proxy at ${proxy.host} wants a name and password (HTTP 407)`,
        retryable: false,
      });
      expect(JSON.stringify(bad)).not.toContain("wrong-one");
    }
  });

  it("with a password that cannot be read is named, without it, over TLS and without", async () => {
    for (const [url, variable] of [
      [`https://${HOST}:1`, "HTTPS_PROXY"],
      [`http://${HOST}:1`, "HTTP_PROXY"],
    ] as const) {
      const answer = await info(url, { [variable]: "http://u:hunter%2@127.0.0.1:1" });
      expect(answer.error).toBe(
        "the name or password of the proxy at 127.0.0.1:1 is not percent-encoded correctly",
      );
      expect(answer.retryable).toBe(false);
    }
  });

  it("that is away is named", async () => {
    const proxy = await throughProxy(port);
    await proxy.close();
    expect(await info(`https://${HOST}`, { HTTPS_PROXY: `http://${proxy.host}` })).toMatchObject({
      error: expect.stringContaining(`the proxy at ${proxy.host} cannot be reached`),
      hint: expect.stringContaining("HTTPS_PROXY"),
    });
  });
});

describe("an answer that is compressed without being asked for", () => {
  const client = (url: string, answerBytes = 1_000) =>
    new HttpClient({
      peer: { name: "the engine", hints: {} },
      baseUrl: url,
      limits: { answerBytes, firstDelayMs: 1 },
      connections: new Connections({}, () => {}),
    });
  const sent = (encoding: string, body: Buffer) => {
    engine.routes["GET /x"] = () => (response) => {
      response.writeHead(200, { "content-encoding": encoding });
      response.end(body);
    };
    return client(engine.url).send({ method: "GET", path: "/x", effect: "once" }, {});
  };

  it("is read", async () => {
    expect((await sent("gzip", gzipSync("hello"))).text).toBe("hello");
    expect((await sent("br", brotliCompressSync("hello"))).text).toBe("hello");
  });

  it("is bounded by what it unfolds to", async () => {
    await expect(sent("gzip", gzipSync(Buffer.alloc(100_000_000)))).rejects.toMatchObject({
      code: "resource_exhausted",
    });
  });

  it("is refused when it is damaged or of an unknown kind", async () => {
    await expect(sent("gzip", Buffer.from("no gzip"))).rejects.toMatchObject({ code: "data_loss" });
    await expect(sent("br", Buffer.from("no brotli at all"))).rejects.toMatchObject({ code: "data_loss" });
    await expect(sent("zstd", Buffer.from("x"))).rejects.toMatchObject({ code: "data_loss" });
  });
});

it("keeps connections for reads and opens one for each call that must not be sent twice", async () => {
  const ports: (number | undefined)[] = [];
  engine.server.on("connection", (socket) => ports.push(socket.remotePort));
  const client = new HttpClient({
    peer: { name: "the engine", hints: {} },
    baseUrl: engine.url,
    connections: new Connections({}, () => {}),
  });
  for (let call = 0; call < 3; call += 1)
    await client.send({ method: "GET", path: "/health", effect: "read" }, {});
  expect(ports).toHaveLength(1);
  for (let call = 0; call < 3; call += 1)
    await client.send({ method: "GET", path: "/health", effect: "once" }, {});
  expect(ports).toHaveLength(4);
});
