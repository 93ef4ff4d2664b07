import { describe, expect, it } from "vitest";
import { guard, type GuardPolicy, type RawRequest } from "./guard.ts";

const HOST = "127.0.0.1:9123";
const ORIGIN = "http://127.0.0.1:9123";
const policy: GuardPolicy<string> = {
  hosts: new Set([HOST]),
  allowedOrigins: new Set([ORIGIN]),
  routes: [
    { path: "/mcp", methods: ["POST", "GET", "DELETE"] },
    { under: "/mcp/", methods: ["POST"] },
    { under: "/mcp/raw/", methods: ["PUT"], bodyTypes: ["application/octet-stream", "application/json"] },
    { path: "/mcp/raw/exact", methods: ["GET"] },
    { path: "/health", methods: ["GET"], anonymous: true },
  ],
  authenticate: (token) => (token === "good" ? "alice" : undefined),
};

type Change = Partial<Omit<RawRequest, "headers">> & {
  /** Replaces all values of these headers; an empty list removes the header. */
  set?: Record<string, string[]>;
};

function request({ set = {}, ...line }: Change = {}): RawRequest {
  const headers: Record<string, string[]> = {
    Host: [HOST],
    Authorization: ["Bearer good"],
    "Content-Type": ["application/json"],
    "Content-Length": ["2"],
    ...set,
  };
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  return { method: "POST", target: "/mcp", headers: pairs, ...line };
}

const status = (change: Change) => {
  const result = guard(request(change), policy);
  return result.ok ? "ok" : result.status;
};
const noBody = { "Content-Type": [], "Content-Length": [] };

describe("guard admits", () => {
  it("a right request, and says who asks, the path and the query", () => {
    expect(guard(request({ target: "/mcp?a=1&b=%20" }), policy)).toStrictEqual({
      ok: true,
      caller: "alice",
      path: "/mcp",
      query: "a=1&b=%20",
    });
  });

  it.each<[string, Change]>([
    ["header names in any case", { set: { Host: [], hOsT: [HOST] } }],
    ["the wish to be told to go on", { set: { Expect: ["100-Continue"] } }],
    ["our own Origin", { set: { Origin: [ORIGIN] } }],
    ["JSON with its charset", { set: { "Content-Type": ["application/json; charset=UTF-8"] } }],
    ["JSON in capitals", { set: { "Content-Type": ["APPLICATION/JSON"] } }],
    ["a POST without a body", { set: noBody }],
    ["a POST whose body has no bytes", { set: { "Content-Type": [], "Content-Length": ["0"] } }],
    ["a GET", { method: "GET", set: noBody }],
    ["something under a prefix", { target: "/mcp/default" }],
    ["an encoded slash inside a name", { target: "/mcp/a%2Fb" }],
    ["encoded UTF-8", { target: "/mcp/%C3%A9" }],
    ["dots that are no dot segment", { target: "/mcp/a..b/...c" }],
    ["the longest prefix", { method: "PUT", target: "/mcp/raw/x" }],
    [
      "another media type of the route",
      { method: "PUT", target: "/mcp/raw/x", set: { "Content-Type": ["application/octet-stream"] } },
    ],
    ["the exact path before the prefix", { method: "GET", target: "/mcp/raw/exact", set: noBody }],
    ["the encoding identity", { set: { "Content-Encoding": ["identity"] } }],
    [
      "the expectation that Node has met, in other letters and with spaces",
      { set: { Expect: [" 100-Continue "] } },
    ],
    ["a browser's request of the same origin", { set: { "Sec-Fetch-Site": ["same-origin"] } }],
    ["a cursor that is called page_token", { target: "/mcp?page_token=1" }],
  ])("%s", (_title, change) => {
    expect(status(change)).toBe("ok");
  });

  it("an anonymous route without a token, and takes no caller from it", () => {
    const asked = { method: "GET", target: "/health", set: { ...noBody, Authorization: [] } };
    expect(guard(request(asked), policy)).toMatchObject({ ok: true, caller: undefined });
    expect(guard(request({ ...asked, set: noBody }), policy)).toMatchObject({ ok: true, caller: undefined });
  });
});

describe("guard refuses", () => {
  it.each<[string, Change, number]>([
    ["no Host", { set: { Host: [] } }, 400],
    ["two Hosts", { set: { Host: [HOST, HOST] } }, 400],
    ["Hosts joined by a comma", { set: { Host: [`${HOST}, ${HOST}`] } }, 403],
    ["localhost", { set: { Host: ["localhost:9123"] } }, 403],
    ["another port", { set: { Host: ["127.0.0.1:9124"] } }, 403],
    ["no port", { set: { Host: ["127.0.0.1"] } }, 403],
    ["a port that only starts like ours", { set: { Host: ["127.0.0.1:91230"] } }, 403],
    ["a space behind the Host", { set: { Host: [`${HOST} `] } }, 403],
    ["a rebound name", { set: { Host: ["evil.example:9123"] } }, 403],
    ["a user in the Host", { set: { Host: [`x@${HOST}`] } }, 403],
    ["the Host with a dot at its end", { set: { Host: ["127.0.0.1.:9123"] } }, 403],
    ["an empty Host", { set: { Host: [""] } }, 403],

    ["a foreign Origin", { set: { Origin: ["https://evil.example"] } }, 403],
    ["Origin null", { set: { Origin: ["null"] } }, 403],
    ["an empty Origin", { set: { Origin: [""] } }, 403],
    ["another page of localhost", { set: { Origin: ["http://localhost:9123"] } }, 403],
    ["our Origin over https", { set: { Origin: ["https://127.0.0.1:9123"] } }, 403],
    ["our Origin with a slash", { set: { Origin: [`${ORIGIN}/`] } }, 403],
    ["two Origins", { set: { Origin: [ORIGIN, ORIGIN] } }, 400],
    ["a page of another site without Origin", { set: { "Sec-Fetch-Site": ["cross-site"] } }, 403],
    ["a page of another port without Origin", { set: { "Sec-Fetch-Site": ["same-site"] } }, 403],

    ["an absolute target", { target: `http://${HOST}/mcp` }, 400],
    ["an absolute target to elsewhere", { target: "http://evil.example/mcp" }, 400],
    ["the asterisk", { method: "OPTIONS", target: "*" }, 400],
    ["an authority", { method: "CONNECT", target: HOST }, 400],
    ["an empty target", { target: "" }, 400],
    ["two slashes at the start", { target: "//evil.example/mcp" }, 400],
    ["an empty segment", { target: "/mcp//x" }, 400],
    ["a dot segment", { target: "/mcp/../health" }, 400],
    ["an encoded dot segment", { target: "/mcp/%2e%2E/health" }, 400],
    ["a dot segment behind encoded slashes", { target: "/mcp/x%2f..%2fy" }, 400],
    ["a backslash", { target: "/mcp/..\\health" }, 400],
    ["an encoded backslash", { target: "/mcp/a%5cb" }, 400],
    ["an encoded NUL", { target: "/mcp/a%00" }, 400],
    ["percent-encoding that is not UTF-8", { target: "/mcp/%ff" }, 400],
    ["a lone percent sign", { target: "/mcp/%" }, 400],
    ["a query that is not UTF-8", { target: "/mcp?%ff=1" }, 400],
    ["a fragment", { target: "/mcp#x" }, 400],
    ["a space", { target: "/mcp x" }, 400],
    ["bytes above ASCII", { target: "/mcp/\u00e9" }, 400],
    ["a token in the query", { target: "/mcp?access_token=good" }, 400],
    ["an encoded token in the query", { target: "/mcp?a=1&%41pi-Key=good" }, 400],
    ["a token in the query and no header", { target: "/mcp?token=good", set: { Authorization: [] } }, 400],

    ["an unknown path", { target: "/admin" }, 404],
    ["a path in capitals", { target: "/MCP" }, 404],
    ["a path that only starts like ours", { target: "/mcpx" }, 404],
    ["an encoded path", { target: "/%6dcp" }, 404],
    ["a slash behind an exact path", { target: "/health/", method: "GET" }, 404],

    ["no token", { set: { Authorization: [] } }, 401],
    ["a wrong token", { set: { Authorization: ["Bearer bad"] } }, 401],
    ["another scheme", { set: { Authorization: ["Basic good"] } }, 401],
    ["a bare token", { set: { Authorization: ["good"] } }, 401],
    ["two right tokens", { set: { Authorization: ["Bearer good", "Bearer good"] } }, 400],
    [
      "two tokens on an anonymous route",
      { method: "GET", target: "/health", set: { ...noBody, Authorization: ["a", "b"] } },
      400,
    ],

    ["another method", { method: "PUT" }, 405],
    ["a method in small letters", { method: "post" }, 405],
    ["the method of a shorter prefix", { method: "POST", target: "/mcp/raw/x" }, 405],
    ["a preflight", { method: "OPTIONS", set: { ...noBody, Authorization: [] } }, 401],

    ["an expectation that nobody knows", { set: { Expect: ["tea"] } }, 417],
    ["one more expectation than is known", { set: { Expect: ["100-continue, tea"] } }, 417],
    ["an unknown expectation without a token", { set: { Expect: ["tea"], Authorization: [] } }, 401],
    ["a body without a type", { set: { "Content-Type": [] } }, 415],
    ["a form", { set: { "Content-Type": ["application/x-www-form-urlencoded"] } }, 415],
    ["text", { set: { "Content-Type": ["text/plain"] } }, 415],
    ["JSON as a parameter", { set: { "Content-Type": ["text/plain; application/json"] } }, 415],
    ["JSON in another charset", { set: { "Content-Type": ["application/json; charset=utf-16"] } }, 415],
    ["a type that only starts like JSON", { set: { "Content-Type": ["application/json-seq"] } }, 415],
    ["two types", { set: { "Content-Type": ["application/json", "application/json"] } }, 400],
    ["a chunked body without a type", { set: { ...noBody, "Transfer-Encoding": ["chunked"] } }, 415],
    ["a compressed body", { set: { "Content-Encoding": ["gzip"] } }, 415],
    ["a GET with a body", { method: "GET" }, 400],
  ])("%s", (_title, change, wanted) => {
    expect(status(change)).toBe(wanted);
  });

  it("in the order Host, Origin, path, token, method, content type", () => {
    const all: Change = {
      method: "PATCH",
      target: "/nowhere",
      set: { Host: ["x"], Origin: ["x"], Authorization: [], "Content-Type": ["x"] },
    };
    const reasons: string[] = [];
    const mend: Change[] = [
      { set: { Host: [HOST] } },
      { set: { Origin: [] } },
      { target: "/mcp" },
      { set: { Authorization: ["Bearer good"] } },
      { method: "POST" },
      { set: { "Content-Type": ["application/json"] } },
    ];
    for (const change of mend) {
      const result = guard(request(all), policy);
      reasons.push(result.ok ? "ok" : result.reason);
      Object.assign(all, { ...change, set: { ...all.set, ...change.set } });
    }
    expect(reasons).toStrictEqual([
      "foreign Host",
      "foreign Origin",
      "no such path",
      "no token",
      "method not allowed here",
      "content type not accepted",
    ]);
    expect(status(all)).toBe("ok");
  });

  it("Origin null even when a policy lists it", () => {
    const careless = { ...policy, allowedOrigins: new Set(["null"]) };
    expect(guard(request({ set: { Origin: ["null"] } }), careless)).toMatchObject({ ok: false, status: 403 });
  });

  it("with a challenge that tells a missing token from a wrong one", () => {
    expect(guard(request({ set: { Authorization: [] } }), policy)).toMatchObject({
      headers: { "www-authenticate": "Bearer" },
    });
    expect(guard(request({ set: { Authorization: ["Bearer bad"] } }), policy)).toMatchObject({
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    });
  });

  it("a wrong method with the methods that are allowed", () => {
    expect(guard(request({ method: "PUT" }), policy)).toMatchObject({
      headers: { allow: "POST, GET, DELETE" },
    });
  });

  it("everybody with 500 when authenticate throws, and keeps the cause for our log", () => {
    const cause = new Error("token file unreadable: /home/alice/tokens");
    const broken: GuardPolicy<string> = {
      ...policy,
      authenticate: () => {
        throw cause;
      },
    };
    expect(guard(request(), broken)).toStrictEqual({
      ok: false,
      status: 500,
      headers: {},
      reason: "authenticate failed",
      cause,
    });
  });

  it("without repeating what was sent", () => {
    for (const change of [
      { target: "/s3cret" },
      { set: { Authorization: ["Bearer s3cret"] } },
      { set: { Host: ["s3cret"] } },
      { set: { Origin: ["s3cret"] } },
      { method: "s3cret" },
      { set: { "Content-Type": ["s3cret"] } },
    ])
      expect(JSON.stringify(guard(request(change), policy))).not.toContain("s3cret");
  });

  it("before authenticate is asked, when Host, Origin or path are wrong", () => {
    let asked = 0;
    const counting: GuardPolicy<string> = { ...policy, authenticate: () => `${(asked += 1)}` };
    for (const change of [{ set: { Host: ["x"] } }, { set: { Origin: ["x"] } }, { target: "/x" }])
      guard(request(change), counting);
    expect(asked).toBe(0);
  });
});
