import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { guard, guardRequest, type GuardPolicy, type RawRequest } from "./guard.ts";

/** What the guard's own table leaves open: every reason by its words, and the last bit of every comparison. */

const HOST = "127.0.0.1:9123";
const policy: GuardPolicy<string> = {
  hosts: new Set([HOST]),
  allowedOrigins: new Set([`http://${HOST}`]),
  routes: [{ path: "/mcp", methods: ["POST", "GET", "HEAD"] }],
  authenticate: (token) => (token === "good" ? "alice" : undefined),
};
const HEADERS: readonly (readonly [string, string])[] = [
  ["Host", HOST],
  ["Authorization", "Bearer good"],
];
const ask = (change: Partial<RawRequest>, more: readonly (readonly [string, string])[] = []) =>
  guard({ method: "POST", target: "/mcp", headers: [...HEADERS, ...more], ...change }, policy);
const without = (name: string, ...instead: (readonly [string, string])[]) => ({
  headers: [...HEADERS.filter(([header]) => header !== name), ...instead],
});
const BODY: readonly (readonly [string, string])[] = [
  ["Content-Length", "2"],
  ["Content-Type", "application/json"],
];

describe("a refusal", () => {
  it.each<[string, number, ReturnType<typeof ask>]>([
    ["no Host", 400, ask(without("Host"))],
    ["more than one Host", 400, ask({}, [["Host", HOST]])],
    [
      "more than one Origin",
      400,
      ask({}, [
        ["Origin", "a"],
        ["Origin", "b"],
      ]),
    ],
    ["sent by another site's page", 403, ask({}, [["Sec-Fetch-Site", "cross-site"]])],
    ["target is not in origin form", 400, ask({ target: "*" })],
    ["target has characters that a target cannot have", 400, ask({ target: "/mcp#" })],
    ["path is not valid percent-encoded UTF-8", 400, ask({ target: "/%ff" })],
    ["path has dot segments or characters that a path cannot have", 400, ask({ target: "/." })],
    ["path has an empty segment", 400, ask({ target: "/a//b" })],
    ["query is not valid percent-encoded UTF-8", 400, ask({ target: "/mcp?%ff" })],
    ["query brings a token", 400, ask({ target: "/mcp?token" })],
    ["more than one Authorization", 400, ask({}, [["Authorization", "Bearer good"]])],
    ["no token", 401, ask(without("Authorization"))],
    ["not a bearer token", 401, ask(without("Authorization", ["Authorization", "Basic good"]))],
    ["unknown token", 401, ask(without("Authorization", ["Authorization", "Bearer bad"]))],
    ["transfer coding is not chunked", 400, ask({}, [["Transfer-Encoding", "gzip, chunked"]])],
    ["GET with a body", 400, ask({ method: "GET" }, BODY)],
    ["HEAD with a body", 400, ask({ method: "HEAD" }, BODY)],
    ["unknown expectation", 417, ask({}, [...BODY, ["Expect", "tea"]])],
    ["encoded body", 415, ask({}, [...BODY, ["Content-Encoding", "br"]])],
    ["more than one Content-Type", 400, ask({}, [...BODY, ["Content-Type", "application/json"]])],
  ])("says for our log: %s", (reason, status, result) => {
    expect(result).toMatchObject({ ok: false, status, reason });
  });
});

describe("path and query", () => {
  it.each([
    ["/mcp", "/mcp", ""],
    ["/mcp?", "/mcp", ""],
    ["/mcp?a", "/mcp", "a"],
    ["/mcp?a=1?b=2", "/mcp", "a=1?b=2"],
  ])("of %s are %s and %j", (target, path, query) => {
    expect(ask({ target })).toMatchObject({ ok: true, path, query });
  });

  it.each(["/mcp?=token", "/mcp?a=token", "/mcp?tokens=1"])("bring no token in %s", (target) => {
    expect(ask({ target }).ok).toBe(true);
  });

  it.each(["/mcp?a&token=1", "/mcp?to+ken=x", "/mcp?t.o-k_en=", "/mcp?TOKEN", "/mcp?%74oken=1&a"])(
    "bring a token in %s",
    (target) => {
      expect(ask({ target })).toMatchObject({ status: 400 });
    },
  );
});

describe("a body", () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    [
      "chunked, in any case",
      [
        ["Transfer-Encoding", "Chunked"],
        ["Content-Type", "application/json"],
      ],
    ],
    [
      "chunked, between spaces",
      [
        ["Transfer-Encoding", " chunked "],
        ["Content-Type", "application/json"],
      ],
    ],
    ["of a length between spaces that is none", [["Content-Length", " 0 "]]],
    [
      "with the encoding identity, between spaces, in any case",
      [...BODY, ["Content-Encoding", " Identity "]],
    ],
    [
      "with its charset between spaces",
      [
        ["Content-Length", "2"],
        ["Content-Type", ' application/json ; Charset="UTF-8" '],
      ],
    ],
  ])("is taken: %s", (_, headers) => {
    expect(ask({}, headers).ok).toBe(true);
  });

  it.each<[string, readonly (readonly [string, string])[], number]>([
    [
      "two transfer codings in two lines",
      [
        ["Transfer-Encoding", "chunked"],
        ["Transfer-Encoding", "chunked"],
      ],
      400,
    ],
    ["another transfer coding", [["Transfer-Encoding", "identity"]], 400],
    [
      "a second length",
      [
        ["Content-Length", "0"],
        ["Content-Length", "2"],
      ],
      415,
    ],
    [
      "a second type as a parameter",
      [
        ["Content-Length", "2"],
        ["Content-Type", "application/json; application/json"],
      ],
      415,
    ],
    [
      "no type but a charset",
      [
        ["Content-Length", "2"],
        ["Content-Type", "charset=utf-8"],
      ],
      415,
    ],
  ])("is refused: %s", (_, headers, status) => {
    expect(ask({}, headers)).toMatchObject({ status });
  });
});

describe("a request of node:http", () => {
  const incoming = (rawHeaders: string[], line: { method?: string; url?: string } = {}) =>
    guardRequest({ method: "POST", url: "/mcp", rawHeaders, ...line } as IncomingMessage, policy);
  const raw = HEADERS.flat();

  it("is looked at line by line, the last one too", () => {
    expect(incoming(raw)).toStrictEqual({ ok: true, caller: "alice", path: "/mcp", query: "" });
    expect(incoming([...raw, "Authorization", "Bearer good"])).toMatchObject({ status: 400 });
    expect(incoming(["Host", HOST, ...raw])).toMatchObject({ status: 400 });
    expect(incoming(raw.slice(2))).toMatchObject({ status: 400, reason: "no Host" });
  });

  it("is refused where Node has no method or no target", () => {
    expect(incoming(raw, { method: undefined as never })).toMatchObject({ status: 405 });
    expect(incoming(raw, { url: undefined as never })).toMatchObject({ status: 400 });
    expect(incoming(raw, { method: "PUT" })).toMatchObject({ status: 405 });
    expect(incoming(raw, { url: "/other" })).toMatchObject({ status: 404 });
  });
});
