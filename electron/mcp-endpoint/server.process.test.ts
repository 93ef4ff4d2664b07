import { connect } from "node:net";
import { Client as HandshakeClient } from "@modelcontextprotocol/sdk/client/index.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gate } from "../../loopback/testing/gate.ts";
import { MAX_BODY_BYTES } from "./server.ts";
import { handshakeClient, modernClient, startFixture } from "./testing/endpoint-fixture.ts";
import { echoCall, INITIALIZE, openSession, postTo } from "./testing/raw-requests.ts";

type Fixture = Awaited<ReturnType<typeof startFixture>>;
let endpoint: Fixture;
const clients: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  endpoint = await startFixture();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await endpoint.close();
});

const eras = { "a handshake client (SDK v1)": handshakeClient, "a 2026-07-28 client (SDK v2)": modernClient };

async function clientOf(era: keyof typeof eras, token: string, url = endpoint.url) {
  const client = await eras[era](url, token);
  clients.push(client);
  return client;
}

const post = (body: string, headers: Record<string, string> = {}, url = endpoint.url) =>
  postTo(url, body, headers);

describe.each(Object.keys(eras) as (keyof typeof eras)[])("%s", (era) => {
  it("lists the tools its token may call, and calls one", async () => {
    const client = await clientOf(era, "ibk_reader-token");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["fixture_echo"]);
    expect(tools[0]).toMatchObject({
      title: "Echo",
      annotations: { readOnlyHint: true },
      inputSchema: { type: "object" },
    });
    const result = await client.callTool({ name: "fixture_echo", arguments: { text: "hé" } });
    expect(result.structuredContent).toMatchObject({ text: "hé", caller: "reader", connection: "local" });
  });

  it("is known by its token's name, and what it says of itself is a claim", async () => {
    const client = await clientOf(era, "ibk_writer-token");
    await client.callTool({ name: "fixture_echo", arguments: { text: "x" } });
    expect(endpoint.seen[0]?.caller.name).toBe("writer");
    expect(endpoint.seen[0]?.claim).toBe(era.includes("v1") ? "fixture-v1 1.2.3" : "fixture-v2 2.3.4");
  });

  it("is not offered `confirm` where only a person may confirm", async () => {
    const client = await clientOf(era, "ibk_writer-token");
    const row = (await client.listTools()).tools.find(({ name }) => name === "fixture_delete");
    expect(Object.keys(row?.inputSchema.properties ?? {})).toEqual(["id"]);
  });

  it("gets the same answer for a tool it may not call as for one that does not exist", async () => {
    const client = await clientOf(era, "ibk_reader-token");
    await expect(client.callTool({ name: "fixture_delete", arguments: { id: "1" } })).rejects.toThrow(
      "Tool fixture_delete not found",
    );
    await expect(client.callTool({ name: "fixture_nothing", arguments: {} })).rejects.toThrow(
      "Tool fixture_nothing not found",
    );
  });

  it("is not told what went wrong inside", async () => {
    await endpoint.close();
    endpoint = await startFixture({ call: () => Promise.reject(new Error("/home/someone/secret.ts broke")) });
    const client = await clientOf(era, "ibk_reader-token");
    const result = await client.callTool({ name: "fixture_echo", arguments: { text: "x" } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain("secret.ts");
    expect(endpoint.failed).toHaveLength(1);
  });

  it("reaches another connection by its own address", async () => {
    const client = await clientOf(era, "ibk_reader-token", `${endpoint.url}/other`);
    const result = await client.callTool({ name: "fixture_echo", arguments: { text: "x" } });
    expect(result.structuredContent).toMatchObject({ connection: "other" });
  });

  it("cannot connect without a token, with a wrong one, or with one that may not call", async () => {
    await expect(clientOf(era, "ibk_wrong")).rejects.toThrow(/authentication required|HTTP 401/);
    await expect(clientOf(era, "ibk_mute-token")).rejects.toThrow(/forbidden|HTTP 403/);
    expect(endpoint.sessionCount).toBe(0);
  });

  it("aborts the call when it gives up, so that nothing waits for nobody", async () => {
    await endpoint.close();
    const [begun, aborted] = [gate(), gate()];
    endpoint = await startFixture({
      call: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted.open();
            reject(new Error("gone"));
          });
          begun.open();
        }),
    });
    const client = await clientOf(era, "ibk_reader-token");
    const cancel = new AbortController();
    const outcome = callEcho(client, cancel.signal).then(
      () => "answered",
      () => "rejected",
    );
    await begun.opened;
    cancel.abort();
    expect(await outcome).toBe("rejected");
    await aborted.opened;
  });
});

/** v1 takes a result schema before its options. */
function callEcho(client: Awaited<ReturnType<typeof clientOf>>, signal: AbortSignal): Promise<unknown> {
  const call = { name: "fixture_echo", arguments: { text: "x" } };
  return client instanceof HandshakeClient
    ? client.callTool(call, undefined, { signal })
    : client.callTool(call, { signal });
}

describe("a session of the handshake era", () => {
  const open = (token?: string) => openSession(endpoint.url, token);

  it("belongs to the token and the connection that opened it", async () => {
    const session = await open();
    expect((await post(echoCall(2), session)).status).toBe(200);
    expect((await post(echoCall(3), { ...session, authorization: "Bearer ibk_writer-token" })).status).toBe(
      404,
    );
    expect((await post(echoCall(4), session, `${endpoint.url}/other`)).status).toBe(404);
    expect(endpoint.seen).toHaveLength(1);
  });

  it("ends when its token is revoked", async () => {
    const session = await open();
    await open("ibk_writer-token");
    delete endpoint.tokens["ibk_reader-token"];
    await endpoint.dropCaller("reader");
    expect(endpoint.sessionCount).toBe(1);
    expect((await post(echoCall(2), session)).status).toBe(401);
  });

  it("makes way for a newer one of the same token when that has too many, and never for another's", async () => {
    await endpoint.close();
    endpoint = await startFixture({ sessionLimits: { perOwner: 2, all: 3, guaranteed: 0 } });
    const sessions = [await open(), await open(), await open()];
    expect(endpoint.sessionCount).toBe(2);
    const use = (session: Record<string, string> | undefined) => post(echoCall(2), session);
    expect((await use(sessions[0])).status).toBe(404);
    expect((await use(sessions[2])).status).toBe(200);
    await open("ibk_writer-token");
    expect(endpoint.sessionCount).toBe(3);
    await open("ibk_writer-token");
    expect(endpoint.sessionCount).toBe(3);
    expect((await use(sessions[2])).status).toBe(200);
  });

  it("has one request of an id under way at a time, so that each is answered", async () => {
    await endpoint.close();
    const [begun, released] = [gate(), gate()];
    endpoint = await startFixture({
      call: async () => {
        begun.open();
        await released.opened;
        return { content: [{ type: "text", text: "done" }] };
      },
    });
    const session = await open();
    const first = post(echoCall(7), session);
    await begun.opened;
    const second = await post(echoCall(7), session);
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ error: { code: -32_600 } });
    released.open();
    expect(await (await first).text()).toContain("done");
    expect(await (await post(echoCall(7), session)).text()).toContain("done");
  });

  it("has room for a token's first ones, however many others were left open", async () => {
    await endpoint.close();
    endpoint = await startFixture({ sessionLimits: { all: 1, guaranteed: 1 } });
    const left = await open();
    const first = await open("ibk_writer-token");
    const use = (session: Record<string, string>, token: string) =>
      post(echoCall(2), { ...session, authorization: `Bearer ${token}` });
    expect((await use(left, "ibk_reader-token")).status).toBe(200);
    expect((await use(first, "ibk_writer-token")).status).toBe(200);
    await Promise.all([open("ibk_writer-token"), open("ibk_writer-token")]);
    expect(endpoint.sessionCount).toBe(2);
  });

  it("is refused politely when there is no room at all", async () => {
    await endpoint.close();
    endpoint = await startFixture({ sessionLimits: { all: 1, guaranteed: 0 } });
    await open();
    const answer = await post(INITIALIZE, { authorization: "Bearer ibk_writer-token" });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).not.toBeNull();
  });

  it("aborts the call of a client that hangs up without a word", async () => {
    await endpoint.close();
    const [begun, aborted] = [gate(), gate()];
    endpoint = await startFixture({
      call: ({ signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => aborted.open());
          begun.open();
        }),
    });
    const session = await open();
    const cut = new AbortController();
    const hanging = postTo(endpoint.url, echoCall(2), session, cut.signal).then(
      () => "answered",
      () => "cut",
    );
    await begun.opened;
    cut.abort();
    expect(await hanging).toBe("cut");
    await aborted.opened;
  });
});

describe("before the protocol", () => {
  it.each([
    ["no token", { authorization: "" }, 401],
    ["a made-up token", { authorization: "Bearer ibk_nobody" }, 401],
    ["another scheme", { authorization: "Basic aWJrX3JlYWRlci10b2tlbg==" }, 401],
    ["a token that may not call", { authorization: "Bearer ibk_mute-token" }, 403],
    ["a foreign Origin", { origin: "http://evil.example" }, 403],
    ["another local page", { origin: "http://localhost:9999" }, 403],
    ["Origin null", { origin: "null" }, 403],
    ["text instead of JSON", { "content-type": "text/plain" }, 415],
  ])("%s is refused, and the answer says nothing about tools", async (_, headers, status) => {
    const answer = await post(INITIALIZE, headers);
    expect(answer.status).toBe(status);
    const text = await answer.text();
    expect(text).not.toMatch(/fixture|tool|reader|writer/);
    expect(endpoint.sessionCount).toBe(0);
    const withoutToken = "authorization" in headers && headers.authorization === "";
    expect(endpoint.refused).toHaveLength(withoutToken ? 0 : 1);
  });

  it.each([
    ["a foreign Origin", { origin: "http://evil.example" }],
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
    ["text instead of JSON", { "content-type": "text/plain" }],
  ])(
    "%s without a token is not reported: any web page can send that, and without end",
    async (_, headers) => {
      const answer = await post(INITIALIZE, { authorization: "", ...headers });
      expect(answer.ok).toBe(false);
      expect(endpoint.refused).toEqual([]);
    },
  );

  it("our own Origin is accepted", async () => {
    expect((await post(INITIALIZE, { origin: `http://127.0.0.1:${endpoint.port}` })).status).toBe(200);
  });

  it.each([
    ["/mcp?token=ibk_reader-token", 400],
    ["/mcp/../mcp", 400],
    ["/mcp/missing", 404],
    ["/mcp/local/more", 404],
    ["/other", 404],
    ["/", 404],
  ])("the path %s is refused", async (path, status) => {
    // fetch would resolve the dots before it sends them
    expect(await rawStatus(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${endpoint.port}`)).toBe(status);
  });

  it.each(["evil.example", "localhost:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}"])(
    "the Host %s is refused",
    async (host) => {
      const line = `POST /mcp HTTP/1.1\r\nHost: ${host.replace("{port}", String(endpoint.port))}`;
      expect(await rawStatus(line)).toBe(403);
    },
  );

  it("PUT is refused", async () => {
    expect(await rawStatus(`PUT /mcp HTTP/1.1\r\nHost: 127.0.0.1:${endpoint.port}`)).toBe(405);
  });

  function rawStatus(lines: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = connect(endpoint.port, "127.0.0.1", () => {
        socket.write(
          `${lines}\r\nAuthorization: Bearer ibk_reader-token\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
        );
      });
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.includes("\r\n\r\n")) socket.destroy(); // it may keep the connection
      });
      socket.once("error", reject);
      socket.once("close", () => resolve(Number(text.split(" ")[1])));
    });
  }
});

describe("the end of the endpoint", () => {
  it("lets an answer that is under way out, and waits for no stream", async () => {
    await endpoint.close();
    const [begun, released] = [gate(), gate()];
    endpoint = await startFixture({
      call: async () => {
        begun.open();
        await released.opened;
        return { isError: true, content: [{ type: "text", text: "the app was closed" }] };
      },
    });
    const client = await clientOf("a handshake client (SDK v1)", "ibk_reader-token");
    const call = client.callTool({ name: "fixture_echo", arguments: { text: "x" } });
    await begun.opened;
    const closed = endpoint.close();
    released.open();
    expect((await call).isError).toBe(true);
    await closed;
  });
});

describe("a request's body", () => {
  const padded = (bytes: number) => INITIALIZE.replace("raw", "x".repeat(bytes - INITIALIZE.length + 3));

  it("may be 4 MiB and not a byte more, and the connection lives on", async () => {
    const largest = padded(MAX_BODY_BYTES);
    expect(Buffer.byteLength(largest)).toBe(MAX_BODY_BYTES);
    expect((await post(`${largest} `)).status).toBe(413);
    expect((await post(largest)).status).toBe(200);
  });

  it("that is not JSON is answered as a parse error", async () => {
    const answer = await post("{");
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32_700 } });
  });
});

describe("a body that is nested too deep", () => {
  const nested = (levels: number) =>
    INITIALIZE.replace(
      '"capabilities":{}',
      `"capabilities":{"x":${"[".repeat(levels)}${"]".repeat(levels)}}`,
    );

  it.each([
    ["5,000 arrays", `${"[".repeat(5_000)}${"]".repeat(5_000)}`],
    ["an initialize with 5,000 levels", nested(5_000)],
    ["4 MiB of opening brackets", "[".repeat(MAX_BODY_BYTES)],
    ["one level too many", nested(98)],
  ])("is refused as such: %s", async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32_000 } });
    expect(endpoint.failed).toEqual([]);
    expect(endpoint.sessionCount).toBe(0);
  });

  it("may be as deep as the limit, and brackets in texts do not count", async () => {
    expect((await post(nested(97))).status).toBe(200);
    expect((await post(INITIALIZE.replace("raw", "[".repeat(500)))).status).toBe(200);
  });
});

describe("the era of a request", () => {
  it("a modern request without its version header is answered by the modern leg", async () => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        },
      },
    });
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32_020 } });
  });

  it("a handshake request without a session, or with one that is gone, is told so", async () => {
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect((await post(list)).status).toBe(400);
    expect((await post(list, { "mcp-session-id": "gone" })).status).toBe(404);
  });
});
