import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_BODY_BYTES } from "./server.ts";
import { startFixture } from "./testing/endpoint-fixture.ts";

const TOKEN = "ibk_reader-token";
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

type Fixture = Awaited<ReturnType<typeof startFixture>>;
let endpoint: Fixture;
beforeAll(async () => {
  endpoint = await startFixture();
});
afterAll(() => endpoint.close());

interface Form {
  readonly method?: string;
  readonly path?: string;
  readonly version?: string;
  /** Header lines in the place of those of a good request; `undefined` takes one away. */
  readonly with?: Readonly<Record<string, string | undefined>>;
  readonly also?: readonly string[];
  readonly body?: string;
}

/** A good request but for one thing, byte by byte; `{port}` is the endpoint's. */
function written(form: Form): string {
  const { method = "POST", path = "/mcp", version = "HTTP/1.1", body = INITIALIZE } = form;
  const headers: Record<string, string | undefined> = {
    Host: "127.0.0.1:{port}",
    Authorization: `Bearer ${TOKEN}`,
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...form.with,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const head = [`${method} ${path} ${version}`, ...lines, ...(form.also ?? [])];
  return `${head.join("\r\n")}\r\n\r\n${body}`.replaceAll("{port}", String(endpoint.port));
}

/** The status of the first answer, 0 when the connection was closed without one; and all that came. */
function exchange(bytes: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(endpoint.port, "127.0.0.1", () => socket.write(bytes));
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer to ${bytes.slice(0, 200)}`));
    }, 60_000);
    const end = () => {
      clearTimeout(late);
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text });
    };
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const head = text.indexOf("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? Number.NaN);
      if (head >= 0 && (Number.isNaN(length) || text.length >= head + 4 + length)) end();
    });
    socket.on("error", end);
    socket.on("close", end);
  });
}

const host = (value: string | undefined): Form => ({ with: { Host: value } });
const origin = (value: string): Form => ({ with: { Origin: value } });
const auth = (value: string | undefined): Form => ({ with: { Authorization: value } });
const type = (value: string | undefined): Form => ({ with: { "Content-Type": value } });

const FORMS: Record<string, readonly [string, Form][]> = {
  "a foreign Host": [
    ["none", host(undefined)],
    ["empty", host("")],
    ["a name", host("evil.example")],
    ["a name with our port", host("evil.example:{port}")],
    ["localhost", host("localhost:{port}")],
    ["no port", host("127.0.0.1")],
    ["another port", host("127.0.0.1:1")],
    ["IPv6 loopback", host("[::1]:{port}")],
    ["mapped IPv4", host("[::ffff:127.0.0.1]:{port}")],
    ["a rebinding service", host("127.0.0.1.nip.io:{port}")],
    ["a trailing dot", host("127.0.0.1.:{port}")],
    ["decimal", host("2130706433:{port}")],
    ["hexadecimal", host("0x7f000001:{port}")],
    ["octal", host("0177.0.0.1:{port}")],
    ["short", host("127.1:{port}")],
    ["any address", host("0.0.0.0:{port}")],
    ["another loopback address", host("127.0.0.2:{port}")],
    ["a user part", host("x@127.0.0.1:{port}")],
    ["a path", host("127.0.0.1:{port}/mcp")],
    ["two in one line", host("127.0.0.1:{port}, evil.example")],
    ["two lines, the first good", { also: ["Host: evil.example"] }],
    ["a port with zeros", host("127.0.0.1:0{port}")],
  ],
  "a foreign Origin": [
    ["another site", origin("http://evil.example")],
    ["null", origin("null")],
    ["empty", origin("")],
    ["our address over https", origin("https://127.0.0.1:{port}")],
    ["localhost", origin("http://localhost:{port}")],
    ["no port", origin("http://127.0.0.1")],
    ["another port", origin("http://127.0.0.1:1")],
    ["ours as a prefix", origin("http://127.0.0.1:{port}.evil.example")],
    ["ours with a path", origin("http://127.0.0.1:{port}/")],
    ["ours with a user", origin("http://127.0.0.1:{port}@evil.example")],
    ["a file", origin("file://")],
    ["an extension", origin("chrome-extension://abcdef")],
    ["the app's own page", origin("app://ironbridge")],
    ["two lines", { also: ["Origin: http://127.0.0.1:{port}", "Origin: http://evil.example"] }],
    ["a page of another site without one", { also: ["Sec-Fetch-Site: cross-site"] }],
    ["a page of the same site without one", { also: ["Sec-Fetch-Site: same-site"] }],
  ],
  "a wrong token": [
    ["none", auth(undefined)],
    ["empty", auth("")],
    ["no value", auth("Bearer")],
    ["made up", auth("Bearer ibk_nobody")],
    ["a part of a good one", auth(`Bearer ${TOKEN.slice(0, -1)}`)],
    ["a good one and more", auth(`Bearer ${TOKEN}x`)],
    ["another case", auth(`Bearer ${TOKEN.toUpperCase()}`)],
    ["another scheme", auth(`Basic ${Buffer.from(`x:${TOKEN}`).toString("base64")}`)],
    ["no scheme", auth(TOKEN)],
    ["two in one", auth(`Bearer ${TOKEN}, Bearer ${TOKEN}`)],
    ["two lines", { also: [`Authorization: Bearer ${TOKEN}`] }],
    ["one that may not call", auth("Bearer ibk_mute-token")],
    ["in the query", { path: `/mcp?access_token=${TOKEN}`, with: { Authorization: undefined } }],
    ["in the query too", { path: `/mcp?token=${TOKEN}` }],
    ["in a cookie", { with: { Authorization: undefined, Cookie: `token=${TOKEN}` } }],
    ["in another header", { with: { Authorization: undefined, "X-Api-Key": TOKEN } }],
  ],
  "a method that is none here": [
    ["PUT", { method: "PUT" }],
    ["PATCH", { method: "PATCH" }],
    ["HEAD", { method: "HEAD", body: "" }],
    [
      "OPTIONS, as a page asks first",
      { method: "OPTIONS", body: "", with: { Origin: "http://evil.example" } },
    ],
    ["TRACE", { method: "TRACE", body: "" }],
    ["CONNECT", { method: "CONNECT", path: "127.0.0.1:{port}", body: "" }],
    ["in small letters", { method: "post" }],
    ["made up", { method: "FETCH" }],
  ],
  "a path that is none here": [
    ["the root", { path: "/" }],
    ["another", { path: "/health" }],
    ["another case", { path: "/MCP" }],
    ["a slash more", { path: "/mcp/" }],
    ["two slashes", { path: "//mcp" }],
    ["dots", { path: "/x/../mcp" }],
    ["encoded dots", { path: "/x/%2e%2e/mcp" }],
    ["an encoded slash", { path: "/mcp%2flocal" }],
    ["a zero", { path: "/mcp%00" }],
    ["broken encoding", { path: "/mcp/%ff" }],
    ["absolute form", { path: "http://127.0.0.1:{port}/mcp" }],
    ["another connection", { path: "/mcp/missing" }],
    ["deeper", { path: "/mcp/local/x" }],
    ["a fragment", { path: "/mcp#x" }],
    ["a backslash", { path: "\\mcp" }],
  ],
  "a content type that is not JSON": [
    ["none", type(undefined)],
    ["text, which pages may send", type("text/plain")],
    ["a form", type("application/x-www-form-urlencoded")],
    ["a form of parts", type("multipart/form-data; boundary=x")],
    ["nearly", type("application/jsonp")],
    ["another JSON", type("application/ld+json")],
    ["JSON after text", type("text/plain; application/json")],
    ["another charset", type("application/json; charset=utf-16")],
    ["two lines", { also: ["Content-Type: text/plain"] }],
    ["two in one", type("application/json, text/plain")],
    ["a coding", { with: { "Content-Encoding": "gzip" } }],
  ],
  "a body that cannot be": [
    ["not JSON", { body: "{" }],
    ["nothing", { body: "" }],
    ["half a character", { body: "\ud800", with: { "Content-Length": "3" } }],
    ["nested too deep", { body: "[".repeat(101) + "]".repeat(101) }],
    ["announced too large", { with: { "Content-Length": String(MAX_BODY_BYTES + 1) } }],
    ["two lengths", { also: ["Content-Length: 1"] }],
    ["a length and chunks", { also: ["Transfer-Encoding: chunked"] }],
    ["a length that is no number", { with: { "Content-Length": "1x" } }],
    ["a negative length", { with: { "Content-Length": "-1" } }],
    ["a folded header", { also: ["X-Folded: a\r\n b"] }],
    ["a bare line feed", { also: ["X-A: b\nX-C: d"] }],
    ["a header with a zero", { also: ["X-A: b\0c"] }],
    ["another protocol", { version: "HTTP/3.0" }],
    ["an upgrade", { method: "GET", body: "", also: ["Connection: Upgrade", "Upgrade: websocket"] }],
    ["a GET with one", { method: "GET" }],
  ],
};
const all = Object.entries(FORMS).flatMap(([kind, forms]) =>
  forms.map(([name, form]): [string, string, Form] => [kind, name, form]),
);

describe("a request with", () => {
  it("nothing wrong reaches the protocol", async () => {
    expect((await exchange(written({}))).status).toBe(200);
    expect(endpoint.sessionCount).toBe(1);
  });

  it.each(all)("%s (%s) is refused, and says nothing of tools, callers or tokens", async (_, __, form) => {
    const before = [endpoint.seen.length, endpoint.sessionCount];
    const { status, text } = await exchange(written(form));
    expect([0, 400, 401, 403, 404, 405, 413, 415, 501, 505]).toContain(status);
    expect(text).not.toMatch(/fixture|reader|writer|ibk_/);
    expect(text.toLowerCase()).not.toContain("access-control");
    expect([endpoint.seen.length, endpoint.sessionCount]).toEqual(before);
    expect(endpoint.failed).toEqual([]);
  });

  it("one thing wrong comes in more than sixty forms here, and the endpoint still works after them", async () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect((await exchange(written({}))).status).toBe(200);
  });
});
